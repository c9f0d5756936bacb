import type { Ask, Change, Kernel, Numbers } from "./algorithm-definition.js";

/** One policy under one name, as a store sees it: made once with the limiter, never changed. */
export interface Limit {
  readonly name: string;
  /** `<name>:<algorithm's tag>.<format version>`: what sets this limit's keys apart within a store. */
  readonly space: string;
  readonly kernel: Kernel;
  readonly params: Numbers;
  /** The most that one call can ever be granted, in whole units. */
  readonly limit: number;
}

/** What a store answers: the kernel's numbers and the time at which they were true. */
export interface Outcome {
  /**
   * Units charged, or that a look found free to be charged; -1 for a denial. Of a correction: 0, or -1 when it was
   * refused and changed nothing.
   */
  readonly taken: number;
  /** The store's clock, whole milliseconds since the epoch. */
  readonly nowMs: number;
  /** What the state tells after the call, in the algorithm's order. */
  readonly facts: Numbers;
}

/** How the store fares. */
export interface StoreHealth {
  readonly state: "closed" | "open" | "half-open";
}

/**
 * Where state is kept and decisions are made. A store knows no policy: it runs the kernel that comes with a limit.
 * Keys arrive encoded. Memory answers at once, Redis with a promise.
 */
export interface Store {
  /** Decides a call and, where it is allowed and says `commit`, charges it. */
  decide(limit: Limit, key: string, ask: Ask): Outcome | Promise<Outcome>;
  /** Takes back part of an earlier grant, or adds to it, whatever the limit has left. */
  adjust(limit: Limit, key: string, change: Change): Outcome | Promise<Outcome>;
  /** Forgets what a key has used. */
  forget(limit: Limit, key: string): void | Promise<void>;
  health(): StoreHealth;
}
