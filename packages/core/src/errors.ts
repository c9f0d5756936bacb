/** The stable codes by which errors are told apart, since two copies of a package may be loaded. */
export type SluiceErrorCode =
  | "ERR_SLUICE_INVALID_POLICY"
  | "ERR_SLUICE_INVALID_KEY"
  | "ERR_SLUICE_INVALID_COST"
  | "ERR_SLUICE_CROSS_SLOT"
  | "ERR_SLUICE_POLICY_NOT_FOUND"
  | "ERR_SLUICE_WAIT_TIMEOUT"
  | "ERR_SLUICE_QUEUE_FULL"
  | "ERR_SLUICE_NEVER_ALLOWED"
  | "ERR_SLUICE_STORE"
  | "ERR_SLUICE_STORE_TIMEOUT";

/** What every error of Sluice is: misuse, or a broken store. A denial is never one. */
export abstract class SluiceError extends Error {
  abstract readonly code: SluiceErrorCode;

  /** As the class is called here, whatever a bundler calls it. */
  abstract override readonly name: string;
}

/** A limiter or a store was made with options that it cannot keep. Thrown when it is made. */
export class InvalidPolicyError extends SluiceError {
  override readonly name: string = "InvalidPolicyError";
  readonly code = "ERR_SLUICE_INVALID_POLICY";
}

/** A key, a prefix or a decision that names no state of this limiter. Nothing was touched. */
export class InvalidKeyError extends SluiceError {
  override readonly name: string = "InvalidKeyError";
  readonly code = "ERR_SLUICE_INVALID_KEY";
}

/** A cost, `atLeast` or `reserve` that is no whole number of units. Nothing was touched. */
export class InvalidCostError extends SluiceError {
  override readonly name: string = "InvalidCostError";
  readonly code = "ERR_SLUICE_INVALID_COST";
}

/** Limits that were to be decided together lie in different slots of a cluster. Nothing was touched. */
export class CrossSlotError extends SluiceError {
  override readonly name: string = "CrossSlotError";
  readonly code = "ERR_SLUICE_CROSS_SLOT";
}

/** A key has no policy, and neither has the limiter for keys without one: neither allowed nor denied. */
export class PolicyNotFoundError extends SluiceError {
  override readonly name: string = "PolicyNotFoundError";
  readonly code = "ERR_SLUICE_POLICY_NOT_FOUND";
}

/** A caller would have to wait for longer than `maxWaitMs`. Nothing was taken. */
export class WaitTimeoutError extends SluiceError {
  override readonly name: string = "WaitTimeoutError";
  readonly code = "ERR_SLUICE_WAIT_TIMEOUT";
}

/** As many callers wait for this key in this process as may. Nothing was taken. */
export class QueueFullError extends SluiceError {
  override readonly name: string = "QueueFullError";
  readonly code = "ERR_SLUICE_QUEUE_FULL";
}

/** A caller waits for what can never be allowed: it asks for more than the limit. Nothing was taken. */
export class NeverAllowedError extends SluiceError {
  override readonly name: string = "NeverAllowedError";
  readonly code = "ERR_SLUICE_NEVER_ALLOWED";
}

/** How a {@link StoreError} came about. */
export interface StoreErrorOptions extends ErrorOptions {
  /** True when the call may have been counted: its outcome is unknown, so it must not be sent again blindly. */
  mayHaveCounted: boolean;
  /** The limiter that was called, or those that were to decide together, joined by `+`; default `""`: none in particular. */
  limiterName?: string | undefined;
  /** The code of the server's error reply, such as `"OOM"` or `"READONLY"`. */
  serverCode?: string | undefined;
}

/** The store failed: it refused, answered nonsense or was lost. Says nothing about the limit itself. */
export class StoreError extends SluiceError {
  override readonly name: string = "StoreError";
  readonly code: "ERR_SLUICE_STORE" | "ERR_SLUICE_STORE_TIMEOUT" = "ERR_SLUICE_STORE";
  readonly mayHaveCounted: boolean;
  readonly limiterName: string;
  /** Undefined where the server replied with no error: it could not be reached, was late, or answered nonsense. */
  readonly serverCode: string | undefined;

  constructor(message: string, options: StoreErrorOptions) {
    super(message, options);
    this.mayHaveCounted = options.mayHaveCounted;
    this.limiterName = options.limiterName ?? "";
    this.serverCode = options.serverCode;
  }
}

/** The store did not answer within `timeoutMs`. */
export class StoreTimeoutError extends StoreError {
  override readonly name: string = "StoreTimeoutError";
  override readonly code = "ERR_SLUICE_STORE_TIMEOUT";
}

/** Whether the store failed. By the code, not by the class: there may be two copies. */
export function isStoreError(error: unknown): error is StoreError {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_SLUICE_STORE" || error.code === "ERR_SLUICE_STORE_TIMEOUT";
}

/** Whether an error says that a call may have been counted. By what it says, not by its class: there may be two copies. */
export function mayHaveCounted(error: unknown): boolean {
  return error instanceof Error && "mayHaveCounted" in error && error.mayHaveCounted === true;
}
