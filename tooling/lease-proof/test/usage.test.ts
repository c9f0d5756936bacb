import type { LeaseOptions } from "@sluice/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PORTIONS, PROCESSES } from "../src/demand.ts";
import { type Act, type Granted, grantedBy } from "../src/fleet.ts";
import { BUCKETS, type Make, WINDOWS } from "../src/leasable.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

const SHAPE = { limit: 1_000, windowMs: 1_000 };
const LASTS_MS = 5_000;

/** In each millisecond twice as many calls as units come back, by each process in turn. */
const STEADY: readonly Act[] = Array.from({ length: LASTS_MS }, (_, ms): Act[] => [
  { do: "call", process: ms % PROCESSES, cost: 1, times: 2 },
  { do: "wait", ms: 1 },
]).flat();

function grantedSteadily(make: Make, options: LeaseOptions): Promise<Granted[]> {
  const delayMs = 1;
  return grantedBy(
    (store) => make(store, SHAPE),
    options,
    STEADY,
    () => delayMs,
  );
}

describe.each(Object.entries(PORTIONS))(
  "four processes with portions that are %s, under steady demand",
  (_kind, options) => {
    it.each(Object.entries(WINDOWS))(
      "use at least 95 per cent of a %s, and never more than it counts",
      async (_name, make) => {
        const granted = await grantedSteadily(make, options);
        const used = new Map<number, number>();
        for (const { atMs } of granted) {
          const window = Math.floor(atMs / SHAPE.windowMs);
          used.set(window, (used.get(window) ?? 0) + 1);
        }
        // the last calls are granted in one that has just begun
        const whole = [...used.values()].slice(0, LASTS_MS / SHAPE.windowMs);
        expect(whole).toHaveLength(5);
        expect(Math.max(...whole)).toBeLessThanOrEqual(SHAPE.limit);
        expect(Math.min(...whole)).toBeGreaterThanOrEqual(0.95 * SHAPE.limit);
      },
    );

    it.each(Object.entries(BUCKETS))(
      "use at least 95 per cent of what comes back to a %s",
      async (_name, make) => {
        const granted = await grantedSteadily(make, options);
        // and the last calls take a while
        const cameBack = ((LASTS_MS + 10) / SHAPE.windowMs) * SHAPE.limit;
        expect(granted.length).toBeLessThanOrEqual(cameBack + SHAPE.limit);
        expect(granted.length).toBeGreaterThanOrEqual(0.95 * (cameBack + SHAPE.limit));
      },
    );
  },
);
