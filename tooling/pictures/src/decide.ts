import { memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { limiters, WINDOW_MS } from "./limiters.ts";
import { MOMENTS } from "./traffic.ts";

/** What one limiter made of the traffic. */
export interface Row {
  factory: string;
  policy: string;
  /** How many calls of each moment pass. */
  passed: number[];
  /** When the work of each allowed call is done: at once, or at its slot. */
  doneMs: number[];
  /** When the denied calls were made. */
  deniedMs: number[];
  /** The most work done in any window's time. */
  most: number;
}

/** Sends the traffic through every limiter, each call at its time. */
export async function decideTraffic(): Promise<Row[]> {
  const clock = manualClock(0);
  const rows: Row[] = [];
  for (const { factory, policy, limiter } of limiters(memoryStore({ clock }))) {
    const row: Row = { factory, policy, passed: [], doneMs: [], deniedMs: [], most: 0 };
    for (const moment of MOMENTS) {
      const before = row.doneMs.length;
      for (const atMs of moment) {
        clock.set(atMs);
        const { allowed, delayMs } = await limiter.consume("somebody");
        if (allowed) row.doneMs.push(atMs + delayMs);
        else row.deniedMs.push(atMs);
      }
      row.passed.push(row.doneMs.length - before);
    }
    row.most = mostWithin(WINDOW_MS, row.doneMs);
    rows.push(row);
  }
  return rows;
}

/** The most of `timesMs` that lie in any `(t - windowMs, t]`. */
export function mostWithin(windowMs: number, timesMs: readonly number[]): number {
  const counts = timesMs.map((endMs) => timesMs.filter((ms) => ms > endMs - windowMs && ms <= endMs).length);
  return Math.max(0, ...counts);
}
