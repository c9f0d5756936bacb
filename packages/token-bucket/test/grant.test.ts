import { check, wide } from "@sluice/algorithm-proof";
import {
  InvalidCostError,
  InvalidKeyError,
  memoryStore,
  PolicyNotFoundError,
  redisStore,
} from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { connectResp, startRedis } from "@sluice/redis-server";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { tokenBucket } from "../src/index.js";
import { policies } from "./policies.js";

const START_MS = 1_735_689_600_000;
/** A list whose first key is missing. */
const sparse = Object.assign(new Array<string>(2), { 1: "ada" });
const redis = await startRedis();
const connection = await connectResp(redis);
let opened = 0;

afterAll(async () => {
  connection.close();
  await redis.stop();
});

const stores = [
  { kind: "memory", storeBy: (clock: () => number) => memoryStore({ clock }) },
  {
    kind: "Redis",
    storeBy: (clock: () => number) =>
      redisStore(connection, { clock, prefix: `grant-${opened++}`, timeoutMs: 10_000 }),
  },
];

describe.each(stores)("a grant on $kind", ({ storeBy }) => {
  /** A bucket of 10 that gets a token back a second. */
  function bucket() {
    const clock = manualClock(START_MS);
    const store = storeBy(clock);
    const limiter = tokenBucket({ name: "api", capacity: 10, refill: { tokens: 1, every: "1s" }, store });
    return { clock, store, limiter };
  }

  it("adds tokens, and tells how many there are then", async () => {
    const { limiter } = bucket();
    await limiter.consume("ada", { cost: 8 });
    expect(await limiter.grant("ada", 5)).toEqual([7]);
    expect(await limiter.peek("ada")).toMatchObject({ remaining: 7, resetAfterMs: 3_000 });
    expect(await limiter.grant("ada", 0)).toEqual([7]);
  });

  it("never adds beyond the capacity, and nothing to a full bucket", async () => {
    const { limiter } = bucket();
    await limiter.consume("ada", { cost: 3 });
    expect(await limiter.grant("ada", Number.MAX_SAFE_INTEGER)).toEqual([10]);
    expect(await limiter.grant("bob", 5)).toEqual([10]);
    expect(await limiter.consume("ada", { cost: 10 })).toMatchObject({ allowed: true, remaining: 0 });
  });

  it("pays what is owed first", async () => {
    const { limiter } = bucket();
    await limiter.settle(await limiter.consume("ada"), 25);
    expect(await limiter.grant("ada", 14)).toEqual([0]);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: false, retryAfterMs: 2_000 });
    expect(await limiter.grant("ada", 4)).toEqual([3]);
  });

  it("keeps the part of a token that has come back", async () => {
    const { limiter, clock } = bucket();
    await limiter.consume("ada", { cost: 10 });
    clock.advance(700);
    expect(await limiter.grant("ada", 2)).toEqual([2]);
    clock.advance(300);
    expect(await limiter.peek("ada")).toMatchObject({ remaining: 3 });
  });

  it("takes one key, or many, and answers in their order", async () => {
    const { limiter } = bucket();
    for (const [key, cost] of [
      ["ada", 9],
      ["bob", 5],
      [["eve", "eu"], 7],
    ] as const) {
      await limiter.consume(key, { cost });
    }
    expect(await limiter.grant(["bob", ["eve", "eu"], "new", "ada"], 1)).toEqual([6, 4, 10, 2]);
    expect(await limiter.grant([["eve", "eu"]], 2)).toEqual([6]);
    expect(await limiter.grant(["ada", "ada"], 1)).toEqual([3, 4]);
    expect(await limiter.grant([], 1)).toEqual([]);
  });

  it("lets a key that was denied pass at once", async () => {
    const { limiter } = bucket();
    await limiter.consume("ada", { cost: 10 });
    expect(await limiter.consume("ada", { cost: 3 })).toMatchObject({ allowed: false, retryAfterMs: 3_000 });
    await limiter.grant("ada", 3);
    expect(await limiter.consume("ada", { cost: 3 })).toMatchObject({ allowed: true, remaining: 0 });
  });

  it("loses nothing when many come at once", async () => {
    const { limiter } = bucket();
    await limiter.settle(await limiter.consume("ada"), 100);
    await Promise.all(Array.from({ length: 95 }, () => limiter.grant("ada", 1)));
    expect(await limiter.peek("ada")).toMatchObject({ remaining: 5 });
  });

  it("goes by the key's own policy", async () => {
    const { store } = bucket();
    const limiter = tokenBucket({ name: "plans", perKey: true, store });
    await limiter.setLimit("ada", { capacity: 100, refill: { tokens: 1, every: "1s" } });
    await limiter.consume("ada", { cost: 90 });
    expect(await limiter.grant("ada", 50)).toEqual([60]);
    await limiter.setLimit("ada", { capacity: 50, refill: { tokens: 1, every: "1s" } });
    expect(await limiter.grant("ada", 5)).toEqual([15]);
    await expect(limiter.grant("bob", 5)).rejects.toThrow(PolicyNotFoundError);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "5", null, undefined])(
    "of %o tokens is refused, and nothing is touched",
    async (tokens) => {
      const { limiter } = bucket();
      await limiter.consume("ada", { cost: 8 });
      // @ts-expect-error a caller without types
      await expect(limiter.grant("ada", tokens)).rejects.toThrow(InvalidCostError);
      expect(await limiter.peek("ada")).toMatchObject({ remaining: 2 });
    },
  );

  it.each<[unknown]>([[""], [["ada", ""]], [["ada", 5]], [["ada", []]], [["ada", undefined]], [sparse]])(
    "to %j is refused, and none of the keys is touched",
    async (keys) => {
      const { limiter } = bucket();
      await limiter.consume("ada", { cost: 8 });
      // @ts-expect-error a caller without types
      await expect(limiter.grant(keys, 5)).rejects.toThrow(InvalidKeyError);
      expect(await limiter.peek("ada")).toMatchObject({ remaining: 2 });
    },
  );

  it.each([undefined, null, 5, {}, new Set(["ada"])])(
    "to %o, which is no key and no list, is refused",
    async (keys) => {
      // @ts-expect-error a caller without types
      await expect(bucket().limiter.grant(keys, 5)).rejects.toThrow(InvalidKeyError);
    },
  );
});

it("gives the same in memory and on Redis, under any policy, and never beyond the capacity", async () => {
  const steps = fc.array(
    fc.record({
      taken: fc.oneof(fc.nat({ max: 12 }), wide(0, 2 ** 53 - 1)),
      granted: fc.oneof(fc.nat({ max: 12 }), wide(0, 2 ** 53 - 1)),
      waitMs: fc.oneof(fc.nat({ max: 3_000 }), wide(0, 2 ** 40)),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const property = fc.asyncProperty(policies, steps, async (own, trace) => {
    const clock = manualClock(START_MS);
    const limiters = stores.map(({ storeBy }) => tokenBucket({ name: "api", ...own, store: storeBy(clock) }));
    for (const { taken, granted, waitMs } of trace) {
      const before = await Promise.all(
        limiters.map((limiter) => limiter.consume("ada", { cost: taken, atLeast: 0 })),
      );
      const [inMemory, onRedis] = await Promise.all(limiters.map((limiter) => limiter.grant("ada", granted)));
      expect(onRedis).toEqual(inMemory);
      const remaining = before[0]?.remaining ?? 0;
      expect(inMemory).toEqual([Math.min(own.capacity, remaining + granted)]);
      clock.advance(waitMs);
    }
  });
  await check(property, 100);
});

it("is there for every plan that is made of a limiter, and so are policies of keys", async () => {
  const store = memoryStore();
  const free = tokenBucket({
    name: "api",
    capacity: 10,
    refill: { tokens: 1, every: "1h" },
    perKey: true,
    store,
  });
  const pro = free.with({ capacity: 20 }).with({ capacity: 30 });
  await pro.consume("ada", { cost: 25 });
  expect(await pro.grant("ada", 5)).toEqual([10]);
  await pro.setLimit("ada", { capacity: 40, refill: { tokens: 1, every: "1h" } });
  expect(await pro.peek("ada")).toMatchObject({ limit: 40, remaining: 20 });
});
