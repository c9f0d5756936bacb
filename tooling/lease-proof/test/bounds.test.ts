import type { Store } from "@sluice/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PROCESSES } from "../src/demand.ts";
import { acts, type Granted, grantedBy } from "../src/fleet.ts";
import { BUCKETS, LEASABLE, WINDOWS } from "../src/leasable.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

const LIMIT = 20;
const WINDOW_MS = 100;
const RUNS = 50;

/** A portion size (none: adaptive), how long it is held, and how far away the store is. */
const terms = fc.record({
  size: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  maxHoldMs: fc.integer({ min: 1, max: 150 }),
  delays: fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 8 }),
});

function inTurn(delays: readonly number[]): () => number {
  let turn = 0;
  return () => delays[turn++ % delays.length] ?? 0;
}

function unitsOf(granted: readonly Granted[]): number {
  return granted.reduce((sum, { units }) => sum + units, 0);
}

describe.each(Object.entries(WINDOWS))("%s", (name, make) => {
  it("never grants more than the limit counts, whoever holds what", async () => {
    await fc.assert(
      fc.asyncProperty(terms, acts(40), async ({ delays, ...options }, happens) => {
        const limiter = (store: Store) => make(store, { limit: LIMIT, windowMs: WINDOW_MS });
        const granted = await grantedBy(limiter, options, happens, inTurn(delays));
        for (const { atMs } of granted) {
          const startMs = atMs - (atMs % WINDOW_MS);
          const held = granted.filter((other) => other.atMs >= startMs && other.atMs <= atMs);
          const before = granted.filter((other) => other.atMs >= startMs - WINDOW_MS && other.atMs < startMs);
          const weighs = name === "fixed window" ? 0 : unitsOf(before) * (startMs + WINDOW_MS - atMs);
          expect(unitsOf(held) * WINDOW_MS + weighs).toBeLessThanOrEqual(LIMIT * WINDOW_MS);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe.each(Object.entries(BUCKETS))("%s", (_name, make) => {
  it("grants in any interval no more than what comes back in it, its capacity, and what was held when it began", async () => {
    await fc.assert(
      fc.asyncProperty(terms, acts(40), async ({ delays, ...options }, happens) => {
        const limiter = (store: Store) => make(store, { limit: LIMIT, windowMs: WINDOW_MS });
        const granted = await grantedBy(limiter, options, happens, inTurn(delays));
        const inOrder = [...granted].sort((a, b) => a.atMs - b.atMs);
        // a tenth of what is left, where the portions follow the demand
        const mostHeld = PROCESSES * ((options.size ?? LIMIT / 10) - 1);
        inOrder.forEach(({ atMs }, from) => {
          let units = 0;
          for (const later of inOrder.slice(from)) {
            units += later.units;
            const cameBack = ((later.atMs - atMs) * LIMIT) / WINDOW_MS;
            expect(units).toBeLessThanOrEqual(LIMIT + cameBack + mostHeld);
          }
        });
      }),
      { numRuns: RUNS },
    );
  });
});

describe.each(Object.entries(LEASABLE))("%s", (_name, make) => {
  it("holds nothing of what nobody uses, once maxHoldMs has passed", async () => {
    await fc.assert(
      fc.asyncProperty(terms, acts(5), async ({ delays, ...options }, happens) => {
        const limit = 1_000;
        let kept: Store | undefined;
        const limiter = (store: Store) => {
          kept = store;
          return make(store, { limit, windowMs: 2 ** 35 });
        };
        const withoutCrashes = happens.filter((act) => act.do !== "crash");
        const granted = await grantedBy(limiter, options, withoutCrashes, inTurn(delays));
        if (kept === undefined) throw new Error("there was no store");
        const left = make(kept, { limit, windowMs: 2 ** 35 }).peek("one");
        await vi.advanceTimersByTimeAsync(100);
        expect((await left).remaining).toBe(limit - unitsOf(granted));
      }),
      { numRuns: RUNS },
    );
  });
});
