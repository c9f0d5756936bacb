import { parse } from "@lukeed/ms";

/** A positive number of milliseconds, or a string such as `"250ms"`, `"1s"`, `"5m"`, `"1h"`, `"1d"`. */
export type Duration = number | string;

/** The milliseconds of a duration, a fraction rounded up; undefined for what is none. */
export function durationMs(duration: unknown): number | undefined {
  if (typeof duration === "number") return positive(Math.ceil(duration));
  if (typeof duration !== "string") return undefined;
  const ms = parse(duration.trim());
  // 1.1 * 3,600,000 is not whole in binary: what lies within a millionth of a whole number is that number
  return ms === undefined ? undefined : positive(Math.ceil(Number(ms.toFixed(6))));
}

function positive(ms: number): number | undefined {
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
}
