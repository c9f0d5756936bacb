import { randomUUID } from "node:crypto";
import { anyTraffic, check, operationsOf } from "@sluice/algorithm-proof";
import { type Limiter, redisStore } from "@sluice/core";
import { connectResp } from "@sluice/redis-server";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Caller } from "../src/blocks.ts";
import { eachAlgorithm } from "../src/each-algorithm.ts";
import { useServer } from "../src/server.ts";
import { openMemory, openRedis } from "../src/stores.ts";

const KEY = "key";
const TRIES_IN_MEMORY = 100;
const TRIES_ON_REDIS = 20;
const { redis, connection, otherConnection } = await useServer();
const stores = [
  { kind: "memory", open: () => openMemory(), tries: TRIES_IN_MEMORY },
  { kind: "Redis", open: () => openRedis(connection, otherConnection), tries: TRIES_ON_REDIS },
];

eachAlgorithm((subject) => {
  it.each(stores)(
    "on $kind allows at the promised moment, and not a millisecond before",
    async ({ open, tries }) => {
      const inputs = fc.record({
        own: subject.policies,
        blockFor: fc.oneof(fc.integer({ min: 2_000, max: 9_000 }), fc.integer({ min: 2_000, max: 2 ** 40 })),
        traffic: anyTraffic,
      });
      const property = fc.asyncProperty(inputs, async ({ own, blockFor, traffic }) => {
        const { clock, store } = open();
        const limiter: Limiter = subject.create<string>({ ...own, name: "exact", store, blockFor });
        const caller = new Caller(limiter, clock);
        for (const operation of operationsOf(traffic, limiter.policy)) {
          // a debt too large to be counted is refused
          await caller.perform(operation).catch(() => {});
        }
        await limiter.consume(KEY, { cost: limiter.policy.limit, atLeast: 0 });
        const { allowed, reason, retryAfterMs } = await limiter.consume(KEY);
        const isTellable = clock() + retryAfterMs <= Number.MAX_SAFE_INTEGER;
        if (allowed || reason === "never" || !isTellable) return;
        clock.advance(retryAfterMs - 1);
        expect(await limiter.peek(KEY)).toMatchObject({ allowed: false, retryAfterMs: 1 });
        clock.advance(1);
        expect(await limiter.consume(KEY)).toMatchObject({ allowed: true });
      });
      await check(property, tries);
    },
  );

  it("is set once by callers of several processes that come together", async () => {
    const connections = await Promise.all(Array.from({ length: 4 }, () => connectResp(redis)));
    const prefix = randomUUID();
    const limiters = connections.map((each) => {
      const store = redisStore(each, { prefix, timeoutMs: 10_000 });
      return subject.create<string>({ ...subject.shape(5, 3_600_000), name: "crowd", store, blockFor: "1h" });
    });
    const calls = Array.from({ length: 50 }, () => limiters.map((limiter) => limiter.consume(KEY)));
    const decisions = await Promise.all(calls.flat());
    const count = (wanted: string) => decisions.filter(({ reason }) => reason === wanted).length;
    expect([count("allowed"), count("limited"), count("blocked")]).toEqual([5, 1, 194]);
    for (const each of connections) each.close();
  });
});
