/** The largest number up to which all arithmetic here is exact. */
export const MAX_EXACT: number = Number.MAX_SAFE_INTEGER;

/** Spans beyond this are refused, so that a date plus a span stays exact. */
export const MAX_SPAN_MS: number = 2 ** 52;

/** Timers that are set for longer fire at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Whether a value is a whole number from `min` to `max`. */
export function isWhole(value: unknown, min: number, max: number = MAX_EXACT): value is number {
  return Number.isSafeInteger(value) && typeof value === "number" && value >= min && value <= max;
}

/** A value as it should stand in an error message. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value)
      ? "an array"
      : `an object (${value.constructor?.name ?? "without prototype"})`;
  }
  if (typeof value === "function") return "a function";
  return String(value);
}
