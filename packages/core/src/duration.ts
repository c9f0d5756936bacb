import { parse } from "@lukeed/ms";

/** A positive number of milliseconds, or a string such as `"250ms"`, `"1s"`, `"5m"`, `"1h"`, `"1d"`. */
export type Duration = number | string;

/**
 * One number and one unit. The parser takes more: a number alone, two units, of which it drops the second, and capitals,
 * where "1M" could be meant for a month.
 */
const ONE_UNIT =
  /^\d*\.?\d+ *(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/;
/** A product of two doubles is off by less than this share of itself. */
const PRODUCT_ERROR = 1e-15;

/** The milliseconds of a duration, a fraction rounded up; undefined for what is none. */
export function durationMs(duration: unknown): number | undefined {
  if (typeof duration === "number") return positive(Math.ceil(duration));
  if (typeof duration !== "string" || !ONE_UNIT.test(duration.trim())) return undefined;
  const ms = parse(duration.trim());
  if (ms === undefined) return undefined;
  // 365.1 days is not whole in binary: what lies within the error of the product of a whole number is that number
  const nearest = Math.round(ms);
  return positive(Math.abs(ms - nearest) <= ms * PRODUCT_ERROR ? nearest : Math.ceil(ms));
}

function positive(ms: number): number | undefined {
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
}
