import type { Decision } from "./decision.js";

/** A grant, and when the work that it is for may begin, by `performance.now()`: later than now in a queue. */
export interface Slot {
  readonly decision: Decision;
  readonly atMs: number;
}

/** Somebody who waits for a grant. */
export interface Waiter {
  /** What is asked for, as a text: whoever asks for the same can have the grant of another. */
  readonly asks: string;
  /** By `performance.now()`: a wait that would last beyond it fails at once. */
  readonly deadlineMs: number;
  /** At most so many may wait, this one among them. */
  readonly maxWaiters: number;
  /** Asks the store, which charges what it grants. */
  attempt(): Promise<Decision>;
  /** How long the same call would be denied after another one was granted, as far as can be told. */
  foresee(granted: Decision): Foreseen;
  /** The key of the limit that denied, of several. */
  deniedBy?(denied: Decision): string | undefined;
  giveBack(decision: Decision): Promise<void>;
  granted(decision: Decision): void;
  /** Is told how long it would have to wait, which is too long: `Infinity` where it never can be granted. */
  tooLong(waitMs: number): void;
  full(): void;
  failed(error: unknown): void;
}

/** How long a call would be denied, and the key of the limit that would deny it where there are several. */
export interface Foreseen {
  readonly waitMs: number;
  readonly by: string | undefined;
}

export function isTooLate({ decision, atMs }: Slot, { deadlineMs }: Waiter): boolean {
  return decision.delayMs > 0 && atMs > deadlineMs;
}
