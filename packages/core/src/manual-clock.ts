import { InvalidPolicyError } from "./errors.js";
import { isWhole, shown } from "./whole.js";

/** A clock that stands still until it is told to move. */
export interface ManualClock {
  (): number;
  /** Moves it by whole milliseconds: forward, or back when below 0. */
  advance(ms: number): void;
  /** Sets it to whole milliseconds since the epoch. */
  set(ms: number): void;
}

/**
 * A clock for tests and replays, in whole milliseconds since the epoch.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@sluice/core";
 * import { manualClock } from "@sluice/core/testing";
 *
 * const clock = manualClock(1_000);
 * const store = memoryStore({ clock });
 * clock.advance(250);
 * console.log(clock(), store.size); // 1250 0
 * ```
 * @throws InvalidPolicyError for what is no whole number of milliseconds from 0 to 2^53 - 1
 */
export function manualClock(startMs: number): ManualClock {
  let nowMs = checked(startMs);
  return Object.assign(() => nowMs, {
    advance(ms: number): void {
      nowMs = checked(nowMs + ms);
    },
    set(ms: number): void {
      nowMs = checked(ms);
    },
  });
}

function checked(ms: number): number {
  if (isWhole(ms, 0)) return ms;
  throw new InvalidPolicyError(
    `a clock must stand at whole milliseconds from 0 to 2^53 - 1, got ${shown(ms)}`,
  );
}
