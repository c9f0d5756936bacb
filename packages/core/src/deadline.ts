import { afterThisTurn } from "./after-this-turn.js";

/** The moment at which a caller stops waiting, as the work for him sees it. */
export interface Deadline {
  readonly isPast: boolean;
  /** Called when it passes, unless the work has settled before. */
  onPast: (() => void) | undefined;
  /** Whether the work has done anything that it cannot take back; the work says so. */
  hasBegun: boolean;
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
    const deadline: { isPast: boolean; onPast: (() => void) | undefined; hasBegun: boolean } = {
      isPast: false,
      onPast: undefined,
      hasBegun: false,
    };
    let isSettled = false;
    // before the timer: where the work has deadlines of its own, they come first
    const working = work(deadline);
    const timer = setTimeout(() => {
      afterThisTurn(() => {
        if (isSettled) return;
        deadline.isPast = true;
        deadline.onPast?.();
        reject(late(deadline));
      });
    }, timeoutMs);
    working.then(
      (value) => {
        isSettled = true;
        clearTimeout(timer);
        if (deadline.isPast) abandoned?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        isSettled = true;
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
