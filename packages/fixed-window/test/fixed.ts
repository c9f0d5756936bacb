import { memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { type FixedWindowOptions, fixedWindow } from "../src/index.js";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** A window in memory, and the clock that it goes by: it stands at 10:00. */
export function fixed(
  limit: number,
  window: FixedWindowOptions["window"],
  anchor?: FixedWindowOptions["anchor"],
) {
  const clock = manualClock(at("10:00:00"));
  const store = memoryStore({ clock });
  return { clock, limiter: fixedWindow({ name: "api", limit, window, anchor, store }) };
}

/** The milliseconds of a time of one certain day, in Greenwich. */
export function at(time: string): number {
  return Date.parse(`2025-01-01T${time}Z`);
}
