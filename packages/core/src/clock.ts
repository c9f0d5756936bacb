import { StoreError } from "./errors.js";
import { isWhole, shown } from "./whole.js";

/** Tells the time in milliseconds since the epoch. */
export type Clock = () => number;

/**
 * The epoch at start plus monotonic time, in whole milliseconds: it never steps when the system's clock is set.
 */
export function monotonicClock(): Clock {
  // captured, so that what replaces the globals later (a test's fake timers) cannot step it
  const { performance } = globalThis;
  const startMs = Date.now() - performance.now();
  return () => Math.floor(startMs + performance.now());
}

/** What a clock tells, in whole milliseconds. @throws StoreError when that is no time: nothing was counted */
export function readClock(whose: string, clock: Clock): number {
  let nowMs: number;
  try {
    nowMs = Math.floor(clock());
  } catch (cause) {
    throw new StoreError(`${whose}: the clock failed`, { cause, mayHaveCounted: false });
  }
  if (isWhole(nowMs, 0)) return nowMs;
  throw new StoreError(`${whose}: the clock must tell milliseconds since the epoch, got ${shown(nowMs)}`, {
    mayHaveCounted: false,
  });
}
