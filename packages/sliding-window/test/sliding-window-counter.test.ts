import { type Decision, memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slidingWindowCounter } from "../src/index.js";

/** A multiple of every window below. */
const NOON_MS = Date.UTC(2025, 0, 1, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MONTH_MS = 30 * 86_400_000;
const KEY = "user:42";

/** A counter in memory, and the clock that it goes by. */
function counter(limit: number, window: number | string, startMs = NOON_MS) {
  const clock = manualClock(startMs);
  const limiter = slidingWindowCounter({ name: "api", limit, window, store: memoryStore({ clock }) });
  /** What is decided at some time after the start. */
  const at = (ms: number, cost = 1): Promise<Decision> => {
    clock.set(startMs + ms);
    return limiter.consume(KEY, { cost });
  };
  return { clock, limiter, at };
}

describe("a sliding counter of 100 a minute", () => {
  it("has used 49.5 a quarter of a minute in, after 42 in the minute before and 18 in this one", async () => {
    const { limiter, at } = counter(100, "1m");
    await at(30_000, 42);
    await at(MINUTE_MS + 15_000, 18);
    // 18 + 42 * 3/4
    expect((await limiter.peek(KEY)).remaining).toBe(50);
    expect(await limiter.peek(KEY, { cost: 51 })).toMatchObject({ allowed: false });
    expect(await limiter.consume(KEY, { cost: 50 })).toMatchObject({ allowed: true, remaining: 0 });
  });

  it("admits half a unit less than it holds, and nothing beyond it: nothing is rounded", async () => {
    const { at } = counter(100, "1m");
    await at(30_000, 42);
    await at(MINUTE_MS + 15_000, 68);
    // 68 + 42 * 3/4 = 99.5; one unit fits once the other half has leaked, 42 units a minute
    const { allowed, retryAfterMs } = await at(MINUTE_MS + 15_000);
    expect({ allowed, retryAfterMs }).toEqual({ allowed: false, retryAfterMs: Math.ceil(MINUTE_MS / 84) });
    expect((await at(MINUTE_MS + 15_000 + retryAfterMs - 1)).allowed).toBe(false);
    expect((await at(MINUTE_MS + 15_000 + retryAfterMs)).allowed).toBe(true);
  });

  it("counts by the minutes of the clock", async () => {
    const { at, limiter } = counter(100, "1m");
    await at(MINUTE_MS - 1, 100);
    // a millisecond later it is the minute before, all of which is covered
    expect(await at(MINUTE_MS)).toMatchObject({ allowed: false, retryAfterMs: 600 });
    expect((await limiter.peek(KEY)).resetAfterMs).toBe(MINUTE_MS);
  });

  it("forgets the minute before at the end of this one", async () => {
    const { at, limiter } = counter(100, "1m");
    await at(0, 60);
    await at(MINUTE_MS, 30);
    expect((await limiter.peek(KEY)).resetAfterMs).toBe(2 * MINUTE_MS);
    expect((await at(2 * MINUTE_MS, 70)).allowed).toBe(true);
  });
});

describe("the waiting time of 10 a second", () => {
  it("goes to where this second still suffices", async () => {
    const { at, limiter } = counter(10, "1s");
    await at(900, 10);
    await at(1_500, 5);
    const waits: number[] = [];
    for (let cost = 1; cost <= 5; cost++) waits.push((await limiter.consume(KEY, { cost })).retryAfterMs);
    expect(waits).toEqual([100, 200, 300, 400, 500]);
  });

  it("goes across its end where it must", async () => {
    const { at, limiter } = counter(10, "1s");
    await at(0, 10);
    const waits: number[] = [];
    for (let cost = 1; cost <= 10; cost++) waits.push((await limiter.consume(KEY, { cost })).retryAfterMs);
    expect(waits).toEqual([1_100, 1_200, 1_300, 1_400, 1_500, 1_600, 1_700, 1_800, 1_900, 2_000]);
  });

  it("is that of a debtor, too", async () => {
    const { limiter } = counter(10, "1s");
    await limiter.settle(await limiter.consume(KEY), 25);
    // 25 in the second before leave room for 2 when 8/25 of it are covered
    expect((await limiter.consume(KEY, { cost: 2 })).retryAfterMs).toBe(1_680);
    expect(await limiter.consume(KEY, { cost: 10 })).toMatchObject({ retryAfterMs: 2_000, remaining: 0 });
  });
});

describe("a quota of a billion a month", () => {
  it.each([
    [1, 86_400_001],
    [123_456_789, 1_234_567_891],
    [999_999_999, 2_591_999_999],
    [1_000_000_000, 1],
  ])("is exact to the unit and the millisecond, %i units before and %i ms in", async (units, elapsedMs) => {
    const limit = 1_000_000_000;
    const startMs = Math.ceil(NOON_MS / MONTH_MS) * MONTH_MS;
    const { at, limiter } = counter(limit, "30d", startMs);
    await at(MONTH_MS - 1, units);
    await at(MONTH_MS + elapsedMs, 0);
    // units * (window - elapsed) is beyond 2^53
    const rest = BigInt(MONTH_MS - elapsedMs);
    const remaining = Number((BigInt(limit) * BigInt(MONTH_MS) - BigInt(units) * rest) / BigInt(MONTH_MS));
    expect((await limiter.peek(KEY)).remaining).toBe(remaining);
    const { retryAfterMs } = await limiter.peek(KEY, { cost: remaining + 1 });
    expect((await at(MONTH_MS + elapsedMs + retryAfterMs - 1, remaining + 1)).allowed).toBe(false);
    expect((await at(MONTH_MS + elapsedMs + retryAfterMs, remaining + 1)).allowed).toBe(true);
  });
});

describe("a greedy caller", () => {
  it("approaches twice the limit in a window's time", async () => {
    const { at } = counter(100, 1_000);
    const grants: { atMs: number; taken: number }[] = [];
    // the whole limit in the last millisecond of a window, then whatever there is
    for (let ms = 999; ms < 1_999; ms++) {
      const { taken } = await at(ms, ms === 999 ? 100 : 1);
      if (taken > 0) grants.push({ atMs: ms, taken });
    }
    expect(grants.reduce((sum, { taken }) => sum + taken, 0)).toBe(199);
  });

  it("never passes limit * (1 + x / window) in any stretch x", async () => {
    const steps = fc.array(
      fc.record({
        waitMs: fc.oneof(
          { weight: 3, arbitrary: fc.integer({ min: 0, max: 20 }) },
          { weight: 1, arbitrary: fc.nat({ max: 150 }) },
        ),
        share: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
      }),
      { minLength: 2, maxLength: 80, size: "max" },
    );
    const limits = fc.integer({ min: 1, max: 200 });
    const windows = fc.integer({ min: 1, max: 100 });
    const property = fc.asyncProperty(
      limits,
      windows,
      steps,
      fc.nat(),
      async (limit, windowMs, some, startMs) => {
        const { clock, limiter } = counter(limit, windowMs, startMs);
        const grants: { atMs: number; taken: number }[] = [];
        for (const { waitMs, share } of some) {
          clock.advance(waitMs);
          const cost = Math.max(1, Math.round(limit * share));
          const { decidedAtMs, taken } = await limiter.consume(KEY, { cost, atLeast: 0 });
          grants.push({ atMs: decidedAtMs, taken });
          let sum = 0;
          for (const { atMs, taken: earlier } of [...grants].reverse()) {
            sum += earlier;
            // in whole numbers, so that the last unit counts
            expect(sum * windowMs).toBeLessThanOrEqual(limit * (windowMs + decidedAtMs - atMs));
          }
        }
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});

describe("a correction", () => {
  it("gives back in the clock's window in which it was taken", async () => {
    const { at, limiter } = counter(10, "1s");
    const first = await at(0, 4);
    await at(999, 3);
    await limiter.refund(first);
    expect((await limiter.peek(KEY)).remaining).toBe(7);
  });

  it("gives nothing back once that window is over, though it still weighs", async () => {
    const { at, limiter } = counter(10, "1s");
    const [refunded, settled] = [await at(0, 4), await at(999, 4)];
    await at(1_500, 3);
    const { remaining } = await limiter.peek(KEY);
    await limiter.refund(refunded);
    await limiter.settle(settled, 1);
    expect((await limiter.peek(KEY)).remaining).toBe(remaining);
  });

  it("counts more in that window as long as it weighs, whether something was granted since or not", async () => {
    for (const since of [0, 1]) {
      const { at, limiter } = counter(10, "1s");
      const first = await at(0, 2);
      await at(1_500, since);
      await limiter.settle(first, 6);
      expect((await limiter.peek(KEY)).remaining).toBe(10 - 3 - since);
    }
  });

  it("counts nothing more when that window weighs no more", async () => {
    const { at, limiter } = counter(10, "1s");
    const first = await at(0, 2);
    await at(2_000, 1);
    await limiter.settle(first, 6);
    expect((await limiter.peek(KEY)).remaining).toBe(9);
  });
});

describe("another window for the same name", () => {
  it("takes over what was used at the last grant, rounded up, as used when that was", async () => {
    const { at, clock, limiter } = counter(100, "1m");
    await at(30_000, 42);
    await at(MINUTE_MS + 15_000, 18);
    // 49.5 at 12:01:15: in the hour that begins at twelve they count in full, and in the one after it they weigh
    const longer = limiter.with({ window: "1h" });
    expect(await longer.consume(KEY, { cost: 0 })).toMatchObject({ remaining: 50, windowMs: HOUR_MS });
    clock.advance(30_000);
    expect((await limiter.peek(KEY)).remaining).toBe(71);
    expect((await longer.peek(KEY)).remaining).toBe(50);
    clock.set(NOON_MS + 1.5 * HOUR_MS);
    expect((await longer.peek(KEY)).remaining).toBe(75);
  });

  it("ends on the new schedule when it is shorter", async () => {
    const { at, limiter } = counter(10, "1m");
    await at(30_500, 10);
    const shorter = limiter.with({ window: "1s" });
    expect(await shorter.consume(KEY)).toMatchObject({
      allowed: false,
      retryAfterMs: 600,
      resetAfterMs: 1_500,
    });
    await at(31_250, 0);
    // of the second from 30 s on, three quarters are still covered
    expect((await shorter.peek(KEY)).remaining).toBe(2);
  });

  it("gives nothing back of a grant whose own window is over, though a longer one holds it", async () => {
    const { at, limiter } = counter(100, "1m");
    const over = await at(0, 60);
    await at(MINUTE_MS + 45_000, 5);
    // of the 60, a quarter weighs
    const longer = limiter.with({ window: "1h" });
    await longer.consume(KEY, { cost: 0 });
    await longer.refund(over);
    expect((await longer.peek(KEY)).remaining).toBe(80);
  });

  it("gives back a grant whose window is the present one by both lengths", async () => {
    const { at, limiter } = counter(100, "1h");
    await at(MINUTE_MS, 10);
    const last = await at(30 * MINUTE_MS, 5);
    const shorter = limiter.with({ window: "1m" });
    await shorter.refund(last);
    expect((await shorter.peek(KEY)).remaining).toBe(90);
  });
});

describe("a clock that steps back", () => {
  it("stands still at the last grant while that lies up to a window ahead", async () => {
    const { at } = counter(100, "1m");
    await at(MINUTE_MS, 100);
    // a minute and 0.6 s from the last grant one unit has leaked
    expect(await at(0)).toMatchObject({ allowed: false, retryAfterMs: 2 * MINUTE_MS + 600 });
    expect(await at(MINUTE_MS)).toMatchObject({ allowed: false, retryAfterMs: MINUTE_MS + 600 });
  });

  it("leaves used, as of now, what was used when it was far ahead", async () => {
    const { at, clock, limiter } = counter(100, "1m");
    const day = 1_440 * MINUTE_MS;
    await at(day, 100);
    await at(day + MINUTE_MS + 600, 1);
    // 1 + 100 * 59.4 / 60 = 100 are used, and would be 1.0016 if the minutes were compared as they stand
    clock.set(NOON_MS + MINUTE_MS - 1);
    expect((await limiter.peek(KEY)).remaining).toBe(0);
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 601 });
  });

  it("does not let a refund of a window that was over free a unit of another", async () => {
    const { at, limiter } = counter(3, "1m");
    const day = 1_440 * MINUTE_MS;
    const over = await at(day, 2);
    await at(day + 2 * MINUTE_MS, 3);
    expect((await at(0)).allowed).toBe(false);
    await limiter.refund(over);
    expect((await limiter.peek(KEY)).remaining).toBe(0);
  });
});
