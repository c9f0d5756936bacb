import { type Decision, memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slidingWindowLog } from "../src/index.js";

const TEN_MS = Date.UTC(2025, 0, 1, 10);
const KEY = "user:42";

/** A log in memory, and the clock that it goes by. */
function log(limit: number, window: number | string) {
  const clock = manualClock(TEN_MS);
  const limiter = slidingWindowLog({ name: "api", limit, window, store: memoryStore({ clock }) });
  /** What is decided at some time after ten. */
  const at = (ms: number, cost = 1): Promise<Decision> => {
    clock.set(TEN_MS + ms);
    return limiter.consume(KEY, { cost });
  };
  return { clock, limiter, at };
}

describe("a sliding log of 3 a minute", () => {
  it("denies a fourth call within a minute, wherever the clock's minutes begin", async () => {
    const { at } = log(3, "1m");
    expect((await at(119_000)).remaining).toBe(2);
    expect((await at(119_000)).remaining).toBe(1);
    expect((await at(121_000)).remaining).toBe(0);
    expect(await at(121_000)).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 58_000 });
  });

  it("counts a grant at t up to t + window, and at exactly t + window no more", async () => {
    const { at } = log(3, "1m");
    await at(0, 3);
    expect(await at(59_999)).toMatchObject({ allowed: false, retryAfterMs: 1 });
    expect(await at(60_000, 3)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it("never holds more than 3 in any trailing second, at a call every 100 ms", async () => {
    // redisson/redisson#2931
    const { at } = log(3, "1s");
    const grantedAtMs: number[] = [];
    for (let ms = 0; ms < 5_000; ms += 100) {
      if ((await at(ms)).allowed) grantedAtMs.push(ms);
      expect(grantedAtMs.filter((atMs) => atMs > ms - 1_000).length).toBeLessThanOrEqual(3);
    }
    expect(grantedAtMs).toEqual([0, 1_000, 2_000, 3_000, 4_000].flatMap((ms) => [ms, ms + 100, ms + 200]));
  });
});

describe("grants of one millisecond", () => {
  it("count in full, however many", async () => {
    // peterkhayes/rolling-rate-limiter#11
    const { clock, limiter } = log(2_000, "1m");
    const decisions = await Promise.all(Array.from({ length: 1_000 }, () => limiter.consume(KEY)));
    expect(decisions.map(({ remaining }) => remaining)).toEqual(
      Array.from({ length: 1_000 }, (_, call) => 1_999 - call),
    );
    clock.advance(59_999);
    expect((await limiter.peek(KEY)).remaining).toBe(1_000);
    clock.advance(1);
    expect((await limiter.peek(KEY)).remaining).toBe(2_000);
  });
});

describe("the waiting time", () => {
  it("is that until enough old grants have left for this very cost", async () => {
    const { limiter, at } = log(10, "1s");
    await at(0, 3);
    await at(100, 2);
    await at(250, 5);
    const waits: number[] = [];
    for (let cost = 1; cost <= 10; cost++) waits.push((await limiter.consume(KEY, { cost })).retryAfterMs);
    expect(waits).toEqual([750, 750, 750, 850, 850, 1_000, 1_000, 1_000, 1_000, 1_000]);
  });

  it("is that for the fewest units that will do, and for what must be left behind", async () => {
    const { limiter, at } = log(10, "1s");
    await at(0, 3);
    await at(100, 7);
    expect((await limiter.consume(KEY, { cost: 9, atLeast: 3 })).retryAfterMs).toBe(900);
    expect((await limiter.consume(KEY, { cost: 9, atLeast: 3, reserve: 1 })).retryAfterMs).toBe(1_000);
  });

  it("until the limit is whole is that until the newest grant leaves", async () => {
    const { at } = log(10, "1s");
    expect((await at(0, 3)).resetAfterMs).toBe(1_000);
    expect((await at(400)).resetAfterMs).toBe(1_000);
    expect((await at(600, 7)).resetAfterMs).toBe(800);
  });
});

describe("a refund", () => {
  it("gives back at once, and leaves nothing to give back later", async () => {
    const { limiter, at } = log(10, "1s");
    const first = await at(0, 4);
    await at(100, 6);
    await limiter.refund(first);
    expect(await limiter.peek(KEY)).toMatchObject({ remaining: 4, resetAfterMs: 1_000 });
    expect((await at(1_000, 5)).allowed).toBe(false);
  });

  it("of the newest grant leaves the one before as the newest", async () => {
    const { limiter, at } = log(10, "1s");
    await at(0, 4);
    const [second, third] = [await at(100, 2), await at(200, 2)];
    await limiter.refund(second);
    expect((await limiter.peek(KEY)).resetAfterMs).toBe(1_000);
    await limiter.refund(third);
    expect(await limiter.peek(KEY)).toMatchObject({ remaining: 6, resetAfterMs: 800 });
  });

  it("gives nothing back of a grant that has left the window", async () => {
    const { limiter, at } = log(10, "1s");
    const first = await at(0, 4);
    await at(1_000, 5);
    await limiter.refund(first);
    expect((await limiter.peek(KEY)).remaining).toBe(5);
  });

  it("of one of several grants of a millisecond leaves the others", async () => {
    const { limiter, at } = log(10, "1s");
    const [first] = [await at(0, 4), await at(0, 3)];
    await limiter.refund(first);
    expect((await limiter.peek(KEY)).remaining).toBe(7);
  });
});

describe("a settlement", () => {
  it("counts what was really taken from when it was granted", async () => {
    const { clock, limiter, at } = log(10, "1s");
    const first = await at(0, 2);
    await at(500, 1);
    expect(await limiter.settle(first, 7)).toMatchObject({ taken: 7, remaining: 2 });
    clock.advance(500);
    expect((await limiter.peek(KEY)).remaining).toBe(9);
  });

  it("counts nothing for a grant that has left the window", async () => {
    const { limiter, at } = log(10, "1s");
    const first = await at(0, 2);
    await at(1_000, 1);
    await limiter.settle(first, 7);
    expect((await limiter.peek(KEY)).remaining).toBe(9);
  });

  it("may leave a debt, which is paid when the grant leaves", async () => {
    const { clock, limiter, at } = log(10, "1s");
    await at(0, 8);
    const second = await at(500, 2);
    await limiter.settle(second, 30);
    // at 1000 the first 8 leave, and 30 are still more than 10
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 1_000 });
    clock.advance(1_000);
    expect((await limiter.peek(KEY)).remaining).toBe(10);
  });
});

describe("another window for the same name", () => {
  it("counts, when it is shorter, what lies within it", async () => {
    const { limiter, at } = log(10, "1s");
    await at(0, 3);
    await at(400, 2);
    await at(500, 1);
    const shorter = limiter.with({ window: "100ms" });
    expect(await shorter.peek(KEY)).toMatchObject({ remaining: 9, resetAfterMs: 100 });
    // what it does not count it has not forgotten, until it writes
    expect((await limiter.peek(KEY)).remaining).toBe(4);
  });

  it("counts, when it is longer, all that had not left before", async () => {
    const { clock, limiter, at } = log(10, "1s");
    await at(0, 3);
    await at(400, 2);
    await at(1_100, 1);
    const longer = limiter.with({ window: "1m" });
    expect(await longer.consume(KEY, { cost: 0 })).toMatchObject({ remaining: 7, resetAfterMs: 60_000 });
    clock.advance(59_299);
    expect((await longer.peek(KEY)).remaining).toBe(7);
    clock.advance(1);
    expect((await longer.peek(KEY)).remaining).toBe(9);
  });
});

it("is never passed in any window, wherever one begins, and denies nothing that fits", async () => {
  const calls = fc.array(
    fc.record({ waitMs: fc.integer({ min: 0, max: 40 }), cost: fc.integer({ min: 1, max: 6 }) }),
    {
      minLength: 1,
      maxLength: 100,
      size: "max",
    },
  );
  const limits = fc.integer({ min: 1, max: 12 });
  const windows = fc.integer({ min: 1, max: 120 });
  const property = fc.asyncProperty(limits, windows, calls, async (limit, windowMs, some) => {
    const { at } = log(limit, windowMs);
    const grants: { atMs: number; cost: number }[] = [];
    /** What was granted in (ms - window, ms]. */
    const granted = (ms: number): number =>
      grants
        .filter(({ atMs }) => atMs > ms - windowMs && atMs <= ms)
        .reduce((sum, { cost }) => sum + cost, 0);
    let nowMs = 0;
    for (const { waitMs, cost } of some) {
      nowMs += waitMs;
      const before = granted(nowMs);
      const { allowed } = await at(nowMs, cost);
      expect(allowed).toBe(before + cost <= limit);
      if (allowed) grants.push({ atMs: nowMs, cost });
    }
    for (let ms = 0; ms <= nowMs + windowMs; ms++) expect(granted(ms)).toBeLessThanOrEqual(limit);
  });
  await fc.assert(property);
});
