import type { Limiter } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { queue } from "./queue.js";

/** The delays of so many calls at once. */
async function delays(limiter: Limiter, calls: number): Promise<number[]> {
  const decisions = await Promise.all(Array.from({ length: calls }, () => limiter.consume("host")));
  return decisions.map(({ delayMs }) => delayMs);
}

describe("a queue of three that moves 4 times a second", () => {
  it("gives four calls at once their slots, 250 ms apart, the first of them now", async () => {
    const { limiter } = queue(3, 4, "1s");
    expect(await delays(limiter, 4)).toEqual([0, 250, 500, 750]);
  });

  it("denies the fifth, until one more can wait", async () => {
    const { clock, limiter } = queue(3, 4, "1s");
    await delays(limiter, 4);
    expect(await limiter.consume("host")).toMatchObject({
      allowed: false,
      delayMs: 0,
      remaining: 0,
      retryAfterMs: 250,
      resetAfterMs: 1_000,
    });
    clock.advance(250);
    expect(await limiter.consume("host")).toMatchObject({ allowed: true, delayMs: 750 });
  });

  it("has a limit of four: three wait and one passes at once", async () => {
    const { limiter } = queue(3, 4, "1s");
    expect(limiter.policy).toMatchObject({ limit: 4, capacity: 3, windowMs: 1_000 });
    expect((await limiter.consume("host", { cost: 4 })).allowed).toBe(true);
    expect(await limiter.consume("host", { cost: 5 })).toMatchObject({ allowed: false, reason: "never" });
  });

  it("does not hold a call that comes when its slot is free", async () => {
    const { clock, limiter } = queue(3, 4, "1s");
    await limiter.consume("host");
    clock.advance(250);
    expect((await limiter.consume("host")).delayMs).toBe(0);
    clock.advance(100);
    expect((await limiter.consume("host")).delayMs).toBe(150);
  });

  it("saves no slots up while nobody comes", async () => {
    const { clock, limiter } = queue(3, 4, "1s");
    await limiter.consume("host");
    clock.advance(3_600_000);
    expect(await delays(limiter, 4)).toEqual([0, 250, 500, 750]);
  });

  it("gives a call that costs three as many slots, and tells how long it is to the first", async () => {
    const { limiter } = queue(4, 4, "1s");
    await limiter.consume("host");
    expect(await limiter.consume("host", { cost: 3 })).toMatchObject({
      delayMs: 250,
      taken: 3,
      remaining: 1,
    });
    expect((await limiter.consume("host")).delayMs).toBe(1_000);
  });

  it("takes as many slots as there are, where fewer will do", async () => {
    const { limiter } = queue(3, 4, "1s");
    await delays(limiter, 2);
    expect(await limiter.consume("host", { cost: 9, atLeast: 1 })).toMatchObject({ taken: 2, delayMs: 500 });
  });

  it("tells a look how long a call would be held, and gives it no slot", async () => {
    const { clock, limiter } = queue(3, 4, "1s");
    expect((await limiter.peek("host")).delayMs).toBe(0);
    await delays(limiter, 2);
    expect(await limiter.peek("host")).toMatchObject({ allowed: true, delayMs: 500, remaining: 2 });
    clock.advance(100);
    expect((await limiter.peek("host")).delayMs).toBe(400);
    expect((await limiter.consume("host")).delayMs).toBe(400);
    expect((await limiter.peek("host", { cost: 3 })).delayMs).toBe(0);
  });

  it("tells a call for nothing when its turn would be, and gives it no slot", async () => {
    const { limiter } = queue(3, 4, "1s");
    await limiter.consume("host");
    expect(await limiter.consume("host", { cost: 0 })).toMatchObject({ delayMs: 250, remaining: 3 });
  });
});

describe("3 a second, where no slot is a whole number of milliseconds long", () => {
  it("rounds each of 3,000 delays up, and none because of another", async () => {
    const { limiter } = queue(2_999, 3, "1s");
    const exact = Array.from({ length: 3_000 }, (_, slot) => Math.ceil((slot * 1_000) / 3));
    expect(await delays(limiter, 3_000)).toEqual(exact);
  });

  it("does not drift in 3,000 calls, each made when the one before it has its turn", async () => {
    const { clock, limiter } = queue(1, 3, "1s");
    const startMs = clock();
    for (let slot = 0; slot < 3_000; slot++) {
      const { decidedAtMs, delayMs } = await limiter.consume("host");
      const turnMs = decidedAtMs + delayMs;
      expect(turnMs - startMs).toBe(Math.ceil((slot * 1_000) / 3));
      clock.set(turnMs);
    }
  });
});

describe("a queue in which nobody can wait", () => {
  it("is pure pacing: a call passes when its slot is free, and is denied until then", async () => {
    const { clock, limiter } = queue(0, 4, "1s");
    expect(limiter.policy.limit).toBe(1);
    expect(await limiter.consume("host")).toMatchObject({ allowed: true, delayMs: 0, remaining: 0 });
    clock.advance(100);
    expect(await limiter.consume("host")).toMatchObject({ allowed: false, retryAfterMs: 150 });
    clock.advance(149);
    expect((await limiter.consume("host")).allowed).toBe(false);
    clock.advance(1);
    expect(await limiter.consume("host")).toMatchObject({ allowed: true, delayMs: 0 });
  });
});

describe("a queue that changes in flight", () => {
  it("keeps those who wait, and lets them out at the new pace", async () => {
    const { clock, limiter } = queue(3, 4, "1s");
    await delays(limiter, 4);
    clock.advance(500);
    await limiter.consume("host");
    const slower = limiter.with({ leak: { tokens: 1, every: "1s" } });
    expect(await slower.consume("host")).toMatchObject({ remaining: 0, delayMs: 3_000 });
  });

  it("has five more seats when it is made longer by five, and none when it is made shorter than it is", async () => {
    const { limiter } = queue(3, 4, "1s");
    await delays(limiter, 3);
    expect((await limiter.with({ capacity: 8 }).peek("host")).remaining).toBe(6);
    const shorter = limiter.with({ capacity: 1 });
    expect(await shorter.consume("host")).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 500 });
  });
});

describe("a clock that steps back", () => {
  it("holds a call until the slot that was promised, which is further away now", async () => {
    const { clock, limiter } = queue(3, 4, "1s");
    await delays(limiter, 2);
    clock.advance(-600);
    expect(await delays(limiter, 1)).toEqual([1_100]);
  });

  it("moves the whole queue along when it stepped back by more than the queue is long", async () => {
    const { clock, limiter } = queue(3, 4, "1s");
    await delays(limiter, 2);
    clock.advance(-3_600_000);
    expect(await delays(limiter, 1)).toEqual([500]);
  });
});

describe("a settlement", () => {
  it("keeps the slot, and tells how long it is to it from now on", async () => {
    const { clock, limiter } = queue(3, 4, "1s");
    await delays(limiter, 2);
    const decision = await limiter.consume("host");
    clock.advance(100);
    expect(await limiter.settle(decision, 2)).toMatchObject({ taken: 2, delayMs: 400, remaining: 0 });
    clock.advance(900);
    expect((await limiter.consume("host")).delayMs).toBe(0);
  });

  it("of work that took longer than its slots makes everybody after it wait", async () => {
    const { limiter } = queue(3, 4, "1s");
    await limiter.settle(await limiter.consume("host"), 6);
    expect(await limiter.consume("host")).toMatchObject({
      allowed: false,
      remaining: 0,
      retryAfterMs: 750,
      resetAfterMs: 1_500,
    });
  });

  it("gives slots back at the end of the queue, and not from the middle", async () => {
    const { limiter } = queue(9, 4, "1s");
    const middle = await limiter.consume("host", { cost: 3 });
    const last = await limiter.consume("host", { cost: 3 });
    await limiter.settle(middle, 1);
    expect((await limiter.peek("host")).delayMs).toBe(1_500);
    await limiter.settle(last, 1);
    expect((await limiter.peek("host")).delayMs).toBe(1_000);
  });
});
