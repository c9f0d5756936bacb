import type { Decision } from "./decision.js";
import type { DenyCacheOptions } from "./deny-cache.js";
import type { Duration } from "./duration.js";
import type { StoreError } from "./errors.js";
import type { Store, StoreHealth } from "./store.js";

/**
 * Whom a call counts against. The parts of an array never run together: `["a", "bc"]` and `["ab", "c"]` are two
 * keys. Letter case and spelling are the caller's: normalise e-mail addresses and the like before.
 */
export type Key = string | readonly string[];

/** How much a call asks for. Each number is whole and at least 0. */
export interface ConsumeOptions {
  /** Units asked for; default 1. Cost 0 asks whether the limit is kept and changes nothing. */
  cost?: number | undefined;
  /** Take as many of `cost` as there are, if there are this many; default `cost`. `taken` says how many. */
  atLeast?: number | undefined;
  /** Units this call must leave behind for callers who reserve less; default 0. */
  reserve?: number | undefined;
  /** Rejects the call with the signal's own reason, at once when it is already aborted. */
  signal?: AbortSignal | undefined;
}

/** What a look may assume of the call that it foresees. */
export interface PeekOptions {
  cost?: number | undefined;
  reserve?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** How much a call waits for, and for how long. */
export interface AcquireOptions extends ConsumeOptions {
  /** Fails with `WaitTimeoutError`, at once if a longer wait is known; from 0, default `Infinity`. */
  maxWaitMs?: number | undefined;
}

/** What a reset may leave. */
export interface ResetOptions {
  /** Leaves the block of the key; default false. */
  keepBlock?: boolean | undefined;
}

/** What a limiter was made to keep, as plain data: durations in milliseconds, amounts in whole units. */
export interface Policy {
  readonly algorithm: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly [option: string]: unknown;
}

/**
 * What a limiter answers when its store fails: it throws the `StoreError`, allows, denies, or asks another limiter. It
 * holds for `consume`, `peek`, `refund`, `settle` and `reset`; what people do by hand (blocks, policies of keys, grants)
 * always throws.
 */
export type StoreFailurePolicy<Name extends string = string> = "throw" | "allow" | "deny" | Fallback<Name>;

/** A limiter that answers for another one while that one's store fails: any limiter will do, or a composite. */
export type Fallback<Name extends string = string> = Pick<
  Limiter<Name>,
  "name" | "consume" | "peek" | "refund" | "settle" | "reset"
>;

/** What an observer is told. `name` is the limiter's, `operation` what was called. */
export type LimiterEvent = {
  readonly name: string;
  readonly operation: "consume" | "peek" | "refund" | "settle" | "reset";
} & (
  | { readonly type: "decision"; readonly decision: Decision }
  /** Told also where something stood in, and the caller has seen no error. */
  | { readonly type: "store-failure"; readonly error: StoreError }
  /** The state of the store's breaker, as this limiter's calls find it, has changed. */
  | { readonly type: "breaker"; readonly state: StoreHealth["state"] }
);

/** The options that every factory takes beside its own. */
export interface CommonOptions<Name extends string = string> {
  /**
   * Names the limit in keys, headers, metrics and errors: a letter, then up to 63 of letters, digits, dot,
   * underscore and hyphen.
   */
  name: Name;
  /** Where the state is kept; default: one memory store for the process. */
  store?: Store | undefined;
  /** Whether single keys may have a policy of their own in the store; default false. */
  perKey?: boolean | undefined;
  /**
   * For how long a consume that is denied as `"limited"` blocks its key, such as `"15m"` against guessing at log-ins;
   * `"by-hand"` where only {@link Limiter.block} does. By default nothing blocks a key, and blocks cost nothing.
   */
  blockFor?: Duration | "by-hand" | undefined;
  /** What to answer when the store fails; default `"throw"`. */
  onStoreFailure?: StoreFailurePolicy | undefined;
  /**
   * Whether a key that was denied is denied again without asking the store, until it may pass; default `false`. What this
   * process gives back is heeded at once, what others do after `maxMs` at the latest.
   */
  denyCache?: false | DenyCacheOptions | undefined;
  /** How many callers of `acquire` may wait for one key in this process; whole, from 1; default 1,000. */
  maxWaiters?: number | undefined;
  /** Is told of every decision, every failure of the store, and the state of its breaker. What it throws is dropped. */
  observe?: ((event: LimiterEvent) => void) | undefined;
}

/** What a limiter with `perKey: true` can do beside. The store keeps these policies until they are taken away. */
export interface KeyedLimits<Own extends object> {
  /**
   * Sets the policy of one key, which holds for every process from the next call on. What is used stays used.
   *
   * @throws InvalidPolicyError for options that the algorithm cannot keep. InvalidKeyError, StoreError.
   */
  setLimit(key: Key, own: Own): Promise<void>;

  /**
   * The policy that was set for a key; undefined where there is none.
   *
   * @throws StoreError also where somebody has broken it: it names the field. InvalidKeyError.
   */
  getLimit(key: Key): Promise<Policy | undefined>;

  /** Takes the policy of a key away: that of the limiter holds again, if it has one. */
  clearLimit(key: Key): Promise<void>;
}

/** What a limiter can do whose units can be given as well as taken. */
export interface Grants {
  /**
   * Adds tokens to one key, or to each in a list of keys, never beyond the capacity. Each key by itself: where one of
   * them fails, the others may have been given theirs.
   *
   * @param tokens whole, at least 0
   * @returns what each then has, in order
   * @throws InvalidKeyError, InvalidCostError, StoreError
   */
  grant(keys: string | readonly Key[], tokens: number): Promise<number[]>;
}

/**
 * One limit, kept for any number of keys.
 *
 * `Own` are the options of its algorithm, which {@link Limiter.with} can replace.
 */
export interface Limiter<Name extends string = string, Own extends object = object> {
  readonly name: Name;
  readonly policy: Policy;

  /**
   * Decides a call and, if it is allowed, charges it.
   *
   * @throws InvalidKeyError, InvalidCostError: nothing was touched. StoreError: the store failed.
   */
  consume(key: Key, options?: ConsumeOptions): Promise<Decision<Name>>;

  /**
   * Answers as `consume` would and changes nothing; `remaining` and `resetAfterMs` are told as they stand.
   *
   * @throws InvalidKeyError, InvalidCostError, StoreError
   */
  peek(key: Key, options?: PeekOptions): Promise<Decision<Name>>;

  /**
   * Waits until a call is allowed, and charges it: first come, first served within this process, whoever else consumes.
   * The decision is that of the grant; its `delayMs` is 0, since that has been waited for.
   *
   * @throws NeverAllowedError, WaitTimeoutError, QueueFullError, the signal's reason: nothing was taken. InvalidKeyError,
   * InvalidCostError, StoreError.
   */
  acquire(key: Key, options?: AcquireOptions): Promise<Decision<Name>>;

  /**
   * Gives back what a decision took, as far as it has not leaked or lapsed since; once for a receipt and process.
   * A decision that took nothing gives nothing back.
   *
   * @throws InvalidKeyError when the decision is another limiter's. StoreError.
   */
  refund(decision: Decision): Promise<void>;

  /**
   * Makes a decision have taken `actualCost` instead of what it took, more or less. The excess over the limit is
   * debt: `remaining` is 0 until it is paid. The returned decision carries the receipt that is valid from now on. A
   * decision that took nothing (a denial, cost 0) has no receipt: settling it charges `actualCost` each time.
   *
   * @throws InvalidCostError, InvalidKeyError, StoreError
   */
  settle(decision: Decision, actualCost: number): Promise<Decision<Name>>;

  /**
   * Forgets what a key has used. What was granted before must not be refunded after it: a level cannot tell whose units
   * it would give back. Ends a block too, unless it is to be kept.
   */
  reset(key: Key, options?: ResetOptions): Promise<void>;

  /**
   * Blocks a key from now on, whatever it has left: every call is denied as `"blocked"`. Replaces a block.
   *
   * @throws InvalidPolicyError without the option `blockFor`. InvalidKeyError, StoreError.
   */
  block(key: Key, duration: Duration): Promise<void>;

  /** Ends the block of a key, if it has one. */
  unblock(key: Key): Promise<void>;

  /** A limiter of the same name, keys and store with some of the algorithm's own options replaced. */
  with(own: Partial<Own>): Limiter<Name, Own>;
}

/** All that a limiter can do, whatever its algorithm and options let it. */
export interface FullLimiter<Name extends string, Own extends object>
  extends Limiter<Name, Own>,
    Grants,
    KeyedLimits<Own> {
  with(own: Partial<Own>): FullLimiter<Name, Own>;
}
