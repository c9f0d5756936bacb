import type { Decision } from "./decision.js";
import type { Store } from "./store.js";

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

/** What a limiter was made to keep, as plain data: durations in milliseconds, amounts in whole units. */
export interface Policy {
  readonly algorithm: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly [option: string]: unknown;
}

/** The options that every factory takes beside its own. */
export interface CommonOptions<Name extends string = string> {
  /**
   * Names the limit in keys, headers, metrics and errors: a letter, then up to 63 of letters, digits, dot,
   * underscore and hyphen.
   */
  name: Name;
  /** Where the state is kept; default: one memory store for the process. */
  store?: Store | undefined;
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
   * it would give back.
   */
  reset(key: Key): Promise<void>;

  /** A limiter of the same name, keys and store with some of the algorithm's own options replaced. */
  with(own: Partial<Own>): Limiter<Name, Own>;
}
