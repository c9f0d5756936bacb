import { Actor, anyTraffic, check, operationsOf, START_MS } from "@sluice/algorithm-proof";
import { type Decision, memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { tokenBucket } from "@sluice/token-bucket";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LeakyBucketMeterOptions, leakyBucketMeter } from "../src/index.js";
import { meterPolicies } from "./policies.js";

const TRACES = 1_000;

/** A meter in memory, and the clock that it goes by. */
function meter(capacity: number, tokens: number, every: LeakyBucketMeterOptions["leak"]["every"]) {
  const clock = manualClock(1_735_689_600_000);
  const store = memoryStore({ clock });
  return { clock, limiter: leakyBucketMeter({ name: "search", capacity, leak: { tokens, every }, store }) };
}

describe("a meter of 10 that leaks 2 a second", () => {
  it("takes 10 at once, and no more", async () => {
    const { limiter } = meter(10, 2, "1s");
    expect(await limiter.consume("user:42")).toMatchObject({
      allowed: true,
      remaining: 9,
      resetAfterMs: 500,
      delayMs: 0,
    });
    expect(await limiter.consume("user:42", { cost: 9 })).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.consume("user:42")).toMatchObject({ allowed: false, retryAfterMs: 500 });
  });

  it("leaks a unit every 500 ms, and not two at the end of a second", async () => {
    const { clock, limiter } = meter(10, 2, "1s");
    await limiter.consume("user:42", { cost: 10 });
    const remaining: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      clock.advance(250);
      remaining.push((await limiter.peek("user:42")).remaining);
    }
    expect(remaining).toEqual([0, 1, 1, 2]);
  });

  it("lets a call of 6 pass when the level has fallen to 4, to the millisecond", async () => {
    const { clock, limiter } = meter(10, 2, "1s");
    await limiter.consume("user:42", { cost: 7 });
    expect(await limiter.consume("user:42", { cost: 6 })).toMatchObject({
      allowed: false,
      retryAfterMs: 1_500,
    });
    clock.advance(1_499);
    expect((await limiter.consume("user:42", { cost: 6 })).allowed).toBe(false);
    clock.advance(1);
    expect(await limiter.consume("user:42", { cost: 6 })).toMatchObject({ allowed: true, remaining: 0 });
  });

  it("polices: it asks nobody to hold any work", async () => {
    const { limiter } = meter(10, 2, "1s");
    for (let call = 0; call < 10; call++) expect((await limiter.consume("user:42")).delayMs).toBe(0);
    expect((await limiter.peek("user:42", { cost: 0 })).delayMs).toBe(0);
  });

  it("gives back what has not leaked yet: min(c, max(0, U − v))", async () => {
    const { clock, limiter } = meter(10, 2, "1s");
    const first = await limiter.consume("user:42", { cost: 5 });
    clock.advance(2_000);
    await limiter.consume("user:42", { cost: 3 });
    await limiter.refund(first);
    expect((await limiter.peek("user:42")).remaining).toBe(7);
  });
});

describe("cells every third of a second, of which one may be early", () => {
  it("conform for as long as they come in time, and not a millisecond earlier", async () => {
    const { clock, limiter } = meter(2, 3, "1s");
    const startMs = clock();
    await limiter.consume("line", { cost: 2 });
    for (let cell = 1; cell <= 3_000; cell++) {
      const dueMs = startMs + Math.ceil((cell * 1_000) / 3);
      clock.set(dueMs - 1);
      expect(await limiter.consume("line")).toMatchObject({ allowed: false, retryAfterMs: 1 });
      clock.set(dueMs);
      expect((await limiter.consume("line")).allowed).toBe(true);
    }
  });
});

describe("the meter and the token bucket", () => {
  it("are twins: the same calls, corrections and clocks have the same decisions", async () => {
    const property = fc.asyncProperty(meterPolicies, anyTraffic, async ({ capacity, leak }, traffic) => {
      const [clock, otherClock] = [manualClock(START_MS), manualClock(START_MS)];
      const asMeter = leakyBucketMeter({
        name: "meter",
        capacity,
        leak,
        store: memoryStore({ clock }),
      });
      const asBucket = tokenBucket({
        name: "bucket",
        capacity,
        refill: leak,
        store: memoryStore({ clock: otherClock }),
      });
      const [one, other] = [new Actor(asMeter, clock), new Actor(asBucket, otherClock)];
      for (const operation of operationsOf(traffic, asMeter.policy)) {
        const decision = await one.perform(operation);
        expect(nameless(await other.perform(operation))).toEqual(nameless(decision));
        expect(nameless(await asBucket.peek(other.key))).toEqual(nameless(await asMeter.peek(one.key)));
      }
    });
    await check(property, TRACES);
  });

  it("say so of their policies", () => {
    const pace = { tokens: 7, every: "3s" };
    const { limit, windowMs } = leakyBucketMeter({ name: "meter", capacity: 20, leak: pace }).policy;
    expect(tokenBucket({ name: "bucket", capacity: 20, refill: pace }).policy).toMatchObject({
      limit,
      windowMs,
    });
  });
});

/** A Decision but for the name of who decided, and for the receipt, which is numbered. */
function nameless(decision: Decision | undefined): unknown {
  if (decision === undefined) return undefined;
  const { name: _name, receipt: _receipt, ...rest } = decision;
  return rest;
}
