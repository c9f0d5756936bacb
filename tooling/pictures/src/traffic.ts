/** How far apart the columns of the picture lie; calls are made at its multiples. */
export const STEP_MS = 500;
/** How much time the picture shows. */
export const SPAN_MS = 35_000;

/** What happens, one moment after the other: when the calls of each are made. */
export const MOMENTS: readonly (readonly number[])[] = [
  // a burst shortly before a window of the clock ends, and one shortly after
  at(4_000, 7),
  at(5_500, 7),
  // twice as much as the limit allows, evenly
  every(STEP_MS, 8_500, 17_500),
  // after a rest a burst, and then as much as the limit allows
  at(23_500, 7),
  every(1_000, 27_000, 31_000),
];

/** When the calls are made, in order: the same for every limiter. */
export const TRAFFIC_MS: readonly number[] = MOMENTS.flat();

function at(ms: number, calls: number): number[] {
  return Array.from({ length: calls }, () => ms);
}

function every(stepMs: number, fromMs: number, toMs: number): number[] {
  return Array.from({ length: (toMs - fromMs) / stepMs + 1 }, (_, index) => fromMs + index * stepMs);
}
