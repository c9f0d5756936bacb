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
