import { type ByName, InvalidPolicyError, type Key, type RefundOption } from "@sluice/core";

/** Said once, or of each request. */
export type Saying<Value> = Value | ((url: URL, init?: RequestInit) => Value);

/** Options of {@link limitedFetch} that are the same for one limit and for several. */
export interface CommonFetchOptions extends RefundOption {
  /** What sends the requests; default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** The longest a request may wait for its turn, in milliseconds: then `WaitTimeoutError`. From 0, default `Infinity`. */
  maxWaitMs?: number | undefined;
  /** The longest that a response can have its key held, in milliseconds; from 0, default a day. */
  maxHoldMs?: number | undefined;
}

/** Whom requests count against, and for how much. */
export interface SayingOptions<AnyKey, Cost, Reserve> {
  key: Saying<AnyKey>;
  /** Units that a request takes; default 1. */
  cost?: Saying<Cost> | undefined;
  /** Units that a request must leave behind; default 0. */
  reserve?: Reserve | undefined;
}

/** Options for one limit. */
export interface LimitedFetchOptions extends CommonFetchOptions, SayingOptions<Key, number, number> {}

/** Options for several limits: key, cost and reserve are one for all of them, or one for each by name. */
export interface CompositeFetchOptions<Name extends string>
  extends CommonFetchOptions,
    SayingOptions<Key | ByName<Name, Key>, number | ByName<Name, number>, number | ByName<Name, number>> {}

const KNOWN_OPTIONS: readonly string[] = [
  "key",
  "cost",
  "reserve",
  "fetch",
  "maxWaitMs",
  "maxHoldMs",
  "refundOn",
] satisfies (keyof LimitedFetchOptions)[];
const DAY_MS = 86_400_000;

/** The options, and what is meant where something is left out. @throws InvalidPolicyError */
export function readOptions<Options extends CommonFetchOptions & { key: unknown }>(
  options: Options,
): Options & { maxWaitMs: number; maxHoldMs: number } {
  const expected = `limitedFetch: options must be { ${KNOWN_OPTIONS.join(", ")} }`;
  if (typeof options !== "object" || options === null) throw new InvalidPolicyError(`${expected}`);
  for (const option of Object.keys(options)) {
    if (!KNOWN_OPTIONS.includes(option)) {
      throw new InvalidPolicyError(`${expected}, got the unknown option "${option}"`);
    }
  }
  if (options.key === undefined) throw new InvalidPolicyError("limitedFetch: the option key is missing");
  return {
    ...options,
    maxWaitMs: milliseconds("maxWaitMs", options.maxWaitMs ?? Number.POSITIVE_INFINITY),
    maxHoldMs: milliseconds("maxHoldMs", options.maxHoldMs ?? DAY_MS),
  };
}

function milliseconds(option: string, value: unknown): number {
  if (typeof value === "number" && value >= 0) return value;
  throw new InvalidPolicyError(`limitedFetch: ${option} must be a number of milliseconds from 0`);
}
