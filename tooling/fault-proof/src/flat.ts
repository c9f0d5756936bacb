/** What a heap may grow by and be called flat, as a fraction: what was compiled meanwhile lies there too. */
const TOLERANCE = 0.05;
/** In a third. Of fewer, one that happens to be high decides. */
const LEAST = 3;

/**
 * Whether the last third of some measurements is no higher than the middle one; the first is for warming up. Undefined
 * where they are too few to tell.
 */
export function isFlat(measurements: readonly number[]): boolean | undefined {
  const third = Math.floor(measurements.length / 3);
  if (third < LEAST) return undefined;
  const [last, middle] = [measurements.slice(-third), measurements.slice(-2 * third, -third)];
  return meanOf(last) <= meanOf(middle) * (1 + TOLERANCE);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
