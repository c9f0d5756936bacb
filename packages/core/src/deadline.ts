import { afterThisTurn } from "./after-this-turn.js";
import type { Linked } from "./linked-queue.js";

/** The moment at which a caller stops waiting, as the work for him sees it. */
export interface Deadline {
  readonly isPast: boolean;
  /** Called when it passes, unless the work has settled before. */
  onPast: (() => void) | undefined;
  /** Whether the work has done anything that it cannot take back; the work says so. */
  hasBegun: boolean;
}

/** A deadline, and who hears of it. */
export class Countdown implements Deadline, Linked<Countdown> {
  isPast = false;
  onPast: (() => void) | undefined = undefined;
  hasBegun = false;
  /** By `performance.now()`. */
  passesAtMs = 0;
  /** Whether what it is for has ended. */
  isMet = false;
  isQueued = false;
  before: Countdown | undefined = undefined;
  after: Countdown | undefined = undefined;
  readonly #late: (deadline: Deadline) => void;

  /** `late` is called when the time is up. */
  constructor(late: (deadline: Deadline) => void) {
    this.#late = late;
  }

  pass(): void {
    this.isPast = true;
    this.onPast?.();
    this.#late(this);
  }
}

/** What comes of work that has a deadline. */
export interface Timed<T> {
  readonly work: (deadline: Deadline) => Promise<T>;
  readonly timeoutMs: number;
  /** What the caller is told when the time is up. */
  readonly late: (deadline: Deadline) => Error;
  /** Gets what the work brings after that. */
  readonly abandoned?: ((value: T) => void) | undefined;
}

/**
 * Settles as the work does, or rejects with what `late` makes once `timeoutMs` have passed. The work may ask whether
 * that is so before it goes on. Leaves no timer behind.
 *
 * What has come by then is in time, though the process was too busy to look: it gets one turn of the event loop more.
 */
export function withDeadline<T>({ work, timeoutMs, late, abandoned }: Timed<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const countdown = new Countdown((deadline) => reject(late(deadline)));
    // before the timer: where the work has deadlines of its own, they come first
    const working = work(countdown);
    const timer = setTimeout(() => {
      afterThisTurn(() => {
        if (!countdown.isMet) countdown.pass();
      });
    }, timeoutMs);
    working.then(
      (value) => {
        countdown.isMet = true;
        clearTimeout(timer);
        if (countdown.isPast) abandoned?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        countdown.isMet = true;
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
