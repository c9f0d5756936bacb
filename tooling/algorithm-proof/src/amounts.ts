import type { ManualClock } from "@sluice/core/testing";
import fc from "fast-check";

/** When every trace begins; not a multiple of anything. */
export const START_MS = 1_735_689_637_123;
/** Dates stay below this, so that a date plus the longest span that a policy may have is exact. */
const LAST_MS = 2 ** 52;
const YEAR_MS = 365 * 24 * 3_600_000;

/** Units that mean something under any limit. */
export type Amount = { readonly units: number } | { readonly eighths: number } | { readonly beyond: number };

/** The units of an amount under a limit. */
export function unitsOf(amount: Amount, limit: number): number {
  if ("units" in amount) return amount.units;
  if ("eighths" in amount) return Math.floor(limit / 8) * amount.eighths;
  return Math.max(0, Math.min(limit + amount.beyond, Number.MAX_SAFE_INTEGER));
}

/** None, one, a few, many, and as many as there are or one more. */
export const amounts: fc.Arbitrary<Amount> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ units: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ units: fc.integer({ min: 4, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ eighths: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ beyond: fc.integer({ min: -2, max: 2 }) }) },
);

/** A stretch of time that means something for any window; below 0 it goes back. */
export type Stretch =
  | { readonly ms: number }
  | { readonly sixteenths: number; readonly plusMs: number }
  | { readonly years: number };

/** The milliseconds of a stretch for a window. */
export function stretchMs(stretch: Stretch, windowMs: number): number {
  if ("ms" in stretch) return stretch.ms;
  if ("years" in stretch) return stretch.years * YEAR_MS;
  return Math.floor((windowMs / 16) * stretch.sixteenths) + stretch.plusMs;
}

/** Nothing, a moment, part of a window, a few windows, years. */
export const forwardStretches: fc.Arbitrary<Stretch> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ ms: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ ms: fc.integer({ min: 4, max: 5_000 }) }) },
  { weight: 3, arbitrary: windowParts(1, 16, 1) },
  { weight: 1, arbitrary: windowParts(17, 48, 1) },
  { weight: 1, arbitrary: fc.record({ years: fc.integer({ min: 1, max: 30 }) }) },
);

/** A moment, up to one window, beyond it, years. */
export const backwardStretches: fc.Arbitrary<Stretch> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ ms: fc.integer({ min: -3, max: -1 }) }) },
  { weight: 3, arbitrary: windowParts(-16, -1, -1) },
  { weight: 2, arbitrary: windowParts(-40, -17, -1) },
  { weight: 1, arbitrary: fc.record({ years: fc.integer({ min: -30, max: -1 }) }) },
);

/** Parts of a window, or a millisecond more than that in their direction. */
function windowParts(min: number, max: number, direction: 1 | -1): fc.Arbitrary<Stretch> {
  return fc.record({ sixteenths: fc.integer({ min, max }), plusMs: fc.constantFrom(0, direction) });
}

/** Moves a clock, and stops at either end of what a date may be. */
export function shift(clock: ManualClock, ms: number): void {
  clock.set(Math.max(0, Math.min(clock() + ms, LAST_MS)));
}

/** Whole numbers of every magnitude from `min` to `max`, both ends and their neighbours among them. */
export function wide(min: number, max: number): fc.Arbitrary<number> {
  const clamp = (value: number): number => Math.max(min, Math.min(value, max));
  const bits = fc.nat({ max: Math.ceil(Math.log2(max - min + 1)) });
  const ordinary = fc
    .tuple(bits, fc.maxSafeNat())
    .map(([some, of]) => min + Math.floor(of / 2 ** (53 - some)));
  const fromAnEnd = fc.nat({ max: 2 });
  return fc
    .oneof(
      { weight: 8, arbitrary: ordinary },
      { weight: 1, arbitrary: fromAnEnd.map((distance) => min + distance) },
      { weight: 1, arbitrary: fromAnEnd.map((distance) => max - distance) },
    )
    .map(clamp);
}
