import { type Decision, memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { describe, expect, it } from "vitest";
import { type TokenBucketOptions, tokenBucket } from "../src/index.js";

const YEAR_MS = 365 * 86_400_000;

/** A bucket in memory, and the clock that it goes by. */
function bucket(capacity: number, tokens: number, every: TokenBucketOptions["refill"]["every"]) {
  const clock = manualClock(1_735_689_600_000);
  const store = memoryStore({ clock });
  return { clock, limiter: tokenBucket({ name: "api", capacity, refill: { tokens, every }, store }) };
}

describe("a token bucket of 20, refilled by 5 a second", () => {
  it("is full to begin with: a burst of 20 passes at once, and no more", async () => {
    const { limiter } = bucket(20, 5, "1s");
    expect(await limiter.consume("user:42")).toMatchObject({
      allowed: true,
      remaining: 19,
      resetAfterMs: 200,
    });
    expect(await limiter.consume("user:42", { cost: 19 })).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.consume("user:42")).toMatchObject({ allowed: false, retryAfterMs: 200 });
  });

  it("gets a token back every 200 ms, and not five at the end of a second", async () => {
    const { clock, limiter } = bucket(20, 5, "1s");
    await limiter.consume("user:42", { cost: 20 });
    const remaining: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      clock.advance(100);
      remaining.push((await limiter.peek("user:42")).remaining);
    }
    expect(remaining).toEqual([0, 1, 1, 2, 2, 3]);
  });

  it("is full again after 4 seconds, and holds no more than 20 after that", async () => {
    const { clock, limiter } = bucket(20, 5, "1s");
    expect(await limiter.consume("user:42", { cost: 20 })).toMatchObject({
      resetAfterMs: 4_000,
      windowMs: 4_000,
    });
    clock.advance(4_000);
    expect(await limiter.peek("user:42")).toMatchObject({ remaining: 20, resetAfterMs: 0 });
    clock.advance(3_600_000);
    expect((await limiter.peek("user:42")).remaining).toBe(20);
  });

  it("keeps the part of a token that has come back when another one is taken", async () => {
    const { clock, limiter } = bucket(20, 5, "1s");
    await limiter.consume("user:42", { cost: 20 });
    clock.advance(350);
    expect((await limiter.consume("user:42")).allowed).toBe(true);
    expect((await limiter.consume("user:42")).retryAfterMs).toBe(50);
  });

  it("waits for a debt to be paid, and for the call on top", async () => {
    const { limiter } = bucket(20, 5, "1s");
    await limiter.settle(await limiter.consume("user:42"), 30);
    expect(await limiter.consume("user:42")).toMatchObject({
      remaining: 0,
      retryAfterMs: 2_200,
      resetAfterMs: 6_000,
    });
  });

  it("gives back what has not come back by itself: min(c, max(0, U − v))", async () => {
    const { clock, limiter } = bucket(20, 5, "1s");
    const first = await limiter.consume("user:42", { cost: 10 });
    clock.advance(1_400);
    // of the 10 used, 7 have come back; 4 more are taken
    await limiter.consume("user:42", { cost: 4 });
    await limiter.refund(first);
    expect((await limiter.peek("user:42")).remaining).toBe(16);
  });
});

describe("a rate that is no whole number of milliseconds a token", () => {
  it("promises 1300 ms where 10 tokens come every 13 seconds, and keeps it to the millisecond", async () => {
    const { clock, limiter } = bucket(1, 10, 13_000);
    for (let turn = 0; turn < 1_000; turn++) {
      expect((await limiter.consume("key")).allowed).toBe(true);
      expect(await limiter.consume("key")).toMatchObject({ allowed: false, retryAfterMs: 1_300 });
      clock.advance(1_299);
      expect(await limiter.consume("key")).toMatchObject({ allowed: false, retryAfterMs: 1 });
      clock.advance(1);
    }
  });

  it("never starves a caller who polls every millisecond", async () => {
    const { clock, limiter } = bucket(1, 10, 13_000);
    const startMs = clock();
    const grantedAtMs: number[] = [];
    for (let ms = 0; ms <= 13_000; ms++) {
      const { allowed, decidedAtMs } = await limiter.consume("key");
      if (allowed) grantedAtMs.push(decidedAtMs - startMs);
      clock.advance(1);
    }
    expect(grantedAtMs).toEqual(Array.from({ length: 11 }, (_, turn) => turn * 1_300));
  });

  it("rounds each wait up for a third of a second a token, and loses nothing on the long run", async () => {
    const { clock, limiter } = bucket(1, 3, "1s");
    const waits: number[] = [];
    await limiter.consume("key");
    for (let turn = 0; turn < 6; turn++) {
      const { retryAfterMs } = await limiter.consume("key");
      waits.push(retryAfterMs);
      clock.advance(retryAfterMs);
      await limiter.consume("key");
    }
    // 333⅓ ms each: a bucket of one that is asked late by ⅔ ms has lost them, for it was full
    expect(waits).toEqual([334, 334, 334, 334, 334, 334]);
  });

  it("grants 10 at once and then exactly 100 a second to a caller who never rests", async () => {
    const { clock, limiter } = bucket(10, 100, "1s");
    let granted = 0;
    for (let ms = 0; ms <= 3_500; ms++) {
      granted += (await limiter.consume("key")).taken;
      clock.advance(1);
    }
    expect(granted).toBe(10 + 350);
  });

  it("refills within a second too: 2 a second have brought one of ten back after 600 ms", async () => {
    // symfony#47676
    const { clock, limiter } = bucket(10, 2, "1s");
    await limiter.consume("key");
    clock.advance(600);
    expect(await limiter.consume("key", { cost: 10 })).toMatchObject({ allowed: true, remaining: 0 });
  });
});

describe("large numbers", () => {
  it("are exactly full after ten idle years at 980 million each 10 seconds", async () => {
    // bucket4j#51, pulsar#25262
    const { clock, limiter } = bucket(980_000_000, 980_000_000, "10s");
    await limiter.consume("key", { cost: 980_000_000 });
    clock.advance(10 * YEAR_MS);
    expect(await limiter.peek("key")).toMatchObject({ remaining: 980_000_000, resetAfterMs: 0 });
    expect(await limiter.consume("key", { cost: 980_000_000 })).toMatchObject({
      allowed: true,
      remaining: 0,
    });
    clock.advance(1);
    expect((await limiter.peek("key")).remaining).toBe(98_000);
  });

  it("promise the millisecond when what is used and what is asked for are together beyond 2^53", async () => {
    const { clock, limiter } = bucket(2 ** 53 - 1, 2, 1);
    await limiter.consume("key", { cost: 2 ** 53 - 3 });
    const call = { cost: 2 ** 53 - 2 };
    const denied = await limiter.consume("key", call);
    expect(denied.retryAfterMs).toBe(2 ** 52 - 2);
    clock.advance(denied.retryAfterMs - 1);
    expect((await limiter.consume("key", call)).allowed).toBe(false);
    clock.advance(1);
    expect((await limiter.consume("key", call)).allowed).toBe(true);
  });

  it("promise the millisecond to a debtor, too", async () => {
    const everyMs = 1_315_617_308_197_711;
    const { limiter } = bucket(1, 1, everyMs);
    await limiter.settle(await limiter.consume("key"), 6);
    expect((await limiter.consume("key")).retryAfterMs).toBe(6 * everyMs);
  });
});

describe("a customer's own plan", () => {
  it("adds to what is left exactly what it adds to the bucket, whatever is used", async () => {
    const { limiter } = bucket(20, 5, "1s");
    await limiter.consume("user:42", { cost: 12 });
    const paid = limiter.with({ capacity: 100 });
    expect(await paid.peek("user:42")).toMatchObject({ remaining: 88, limit: 100 });
    expect((await paid.consume("user:42", { cost: 88 })).allowed).toBe(true);
    expect((await limiter.consume("user:42")).allowed).toBe(false);
  });

  it("counts part of a token as up to one token less when the rate changes to one that cannot tell it", async () => {
    const { clock, limiter } = bucket(10, 1, 1_000);
    await limiter.consume("key", { cost: 5 });
    clock.advance(300);
    await limiter.consume("key", { cost: 1 });
    // 5.7 tokens used are 6 where a token has 1 unit, and 5.75 where it has 4
    const usedBy = async (tokens: number, every: number): Promise<Decision> =>
      limiter.with({ refill: { tokens, every } }).peek("key", { cost: 10 });
    expect(await usedBy(1, 1)).toMatchObject({ remaining: 4, resetAfterMs: 6 });
    expect(await usedBy(1, 4)).toMatchObject({ remaining: 4, resetAfterMs: 23 });
  });
});

it("gives nothing back for a grant that was re-dated with others when the clock stepped far back", async () => {
  const { clock, limiter } = bucket(3, 3, "1s");
  const first = await limiter.consume("key", { cost: 3 });
  clock.advance(1_000);
  await limiter.consume("key", { cost: 3 });
  clock.advance(-3_000);
  await limiter.consume("key");
  await limiter.refund(first);
  expect((await limiter.peek("key")).remaining).toBe(0);
});

it("changes nothing by a settlement that it refuses, not even the date of a state from the future", async () => {
  const { clock, limiter } = bucket(1, 2597, 2 ** 52);
  const decision = await limiter.consume("key");
  clock.set(0);
  const { resetAfterMs } = await limiter.peek("key");
  await expect(limiter.settle(decision, 4)).rejects.toMatchObject({ code: "ERR_SLUICE_INVALID_COST" });
  clock.advance(4);
  // had it been re-dated, four milliseconds would have come back since
  expect((await limiter.peek("key")).resetAfterMs).toBe(resetAfterMs);
});
