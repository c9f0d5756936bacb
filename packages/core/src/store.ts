import type { Ask, Change, Kernel, Numbers } from "./algorithm-definition.js";

/** One policy under one name, as a store sees it: made once with the limiter, never changed. */
export interface Limit {
  readonly name: string;
  /** `<name>:<algorithm's tag>.<format version>`: what sets this limit's keys apart within a store. */
  readonly space: string;
  readonly kernel: Kernel;
  /** -1 each where there is no policy but those of the keys. */
  readonly params: Numbers;
  /** The most that one call can ever be granted, in whole units; -1 where only the keys tell. */
  readonly limit: number;
  /** The window, or the time in which the limit drains when full; 0 where only the keys tell. */
  readonly windowMs: number;
  /** Whether a key may have a policy of its own. */
  readonly perKey: boolean;
  /** For how long a denial blocks its key: 0 where only people block keys, undefined where nobody does. */
  readonly blockForMs: number | undefined;
}

/** What one limit is asked in a call. */
export interface Question {
  readonly limit: Limit;
  readonly key: string;
  readonly ask: Ask;
}

/** What a store answers: the kernel's numbers and the time at which they were true. */
export interface Outcome {
  /**
   * Units charged, or that were free to be charged; -1 for a denial; while the key is blocked -2, or -3 where it would be
   * denied anyway. Of a correction: 0, or -1 when it was refused and changed nothing.
   */
  readonly taken: number;
  /** The store's clock, whole milliseconds since the epoch. */
  readonly nowMs: number;
  /** What the state tells after the call, in the algorithm's order. */
  readonly facts: Numbers;
  /** When the block of the key ends, milliseconds since the epoch; absent where there is none. */
  readonly blockedUntilMs?: number | undefined;
  /** The parameters that decided, where they may be the key's own. */
  readonly params?: Numbers | undefined;
}

/** A policy that a person has set for one key: the fields by which it is stored, and what the kernels make of them. */
export interface KeyPolicy {
  readonly fields: Readonly<Record<string, string>>;
  readonly params: Numbers;
}

/** How a store fares, by its circuit breaker. */
export interface StoreHealth {
  /** `"closed"`: it is asked. `"open"`: calls fail at once. `"half-open"`: one call finds out whether it answers again. */
  readonly state: "closed" | "open" | "half-open";
  /** Calls that failed since it last answered. */
  readonly failuresInARow: number;
  /** While it is open, the milliseconds until a call may ask it again; otherwise 0. */
  readonly retryAfterMs: number;
  /** For how long it is not asked once it has failed too often. */
  readonly cooldownMs: number;
  /** What it failed with last, where it has not answered since. */
  readonly lastError: Error | undefined;
}

/** Also for how long to stay away from a store without a breaker. */
export const DEFAULT_COOLDOWN_MS = 1_000;

/** Of a store that has not failed. */
export const HEALTHY: StoreHealth = {
  state: "closed",
  failuresInARow: 0,
  retryAfterMs: 0,
  cooldownMs: DEFAULT_COOLDOWN_MS,
  lastError: undefined,
};

/**
 * Where state is kept and decisions are made. A store knows no policy: it runs the kernel that comes with a limit.
 * Keys arrive encoded. Memory answers at once, Redis with a promise.
 */
export interface Store {
  /** Whether it is this process's own, so that nobody else counts in it. */
  readonly isLocal: boolean;
  /** Whether keys that have no hash tag in common can be decided upon together. */
  readonly multiKey: boolean;
  /** Every call settles within so many milliseconds, where a call can take any time at all. */
  readonly timeoutMs?: number | undefined;
  /**
   * Decides a call and, where it is allowed and says `commit`, charges it. Once `signal` is aborted it need not: what it
   * grants nonetheless is for the caller to give back.
   */
  decide(limit: Limit, key: string, ask: Ask, signal?: AbortSignal): Outcome | Promise<Outcome>;
  /**
   * Decides a call on several limits: all are charged, or none is. Each is answered as if the others had allowed it, but
   * where one denies, nothing is taken from any.
   */
  decideAll(
    questions: readonly Question[],
    signal?: AbortSignal,
  ): readonly Outcome[] | Promise<readonly Outcome[]>;
  /**
   * Takes back part of an earlier grant, or adds to it, whatever the limit has left. With `isOwed` whatever the breaker
   * says, too: the grant came when nobody waited for it any more.
   */
  adjust(limit: Limit, key: string, change: Change, isOwed?: boolean): Outcome | Promise<Outcome>;
  /** Forgets what a key has used and, unless it is to be kept, that it is blocked. */
  forget(limit: Limit, key: string, keepBlock: boolean): void | Promise<void>;
  /** Blocks a key for some milliseconds from now on; 0 ends its block. */
  block(limit: Limit, key: string, spanMs: number): void | Promise<void>;
  /** Sets the policy of one key, or takes it away. */
  setPolicy(limit: Limit, key: string, policy: KeyPolicy | undefined): void | Promise<void>;
  /** The fields of the policy of one key; undefined where it has none. */
  getPolicy(
    limit: Limit,
    key: string,
  ): KeyPolicy["fields"] | undefined | Promise<KeyPolicy["fields"] | undefined>;
  health(): StoreHealth;
}
