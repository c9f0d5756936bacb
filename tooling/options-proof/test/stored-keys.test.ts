import { randomUUID } from "node:crypto";
import { type Limiter, redisStore, type Store } from "@sluice/core";
import { ioredisStore } from "@sluice/ioredis";
import { nodeRedisStore } from "@sluice/node-redis";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, expect, it } from "vitest";
import { eachAlgorithm } from "../src/each-algorithm.ts";
import { keyedLimiter } from "../src/key-policies.ts";
import { useServer } from "../src/server.ts";

const HOUR_MS = 3_600_000;
/** By how much a TTL may be off, and how long a slow machine may take between two looks. */
const SLACK_MS = 1_000 + 5_000;
const { redis, connection } = await useServer();
const ioredis = new Redis(redis.url);
const nodeRedis = await createClient({ url: redis.url }).connect();

afterAll(async () => {
  ioredis.disconnect();
  await nodeRedis.close();
});

/** The same empty keys through three clients, and what lies there. */
function openEverywhere() {
  const prefix = randomUUID();
  const stores: readonly [Store, Store, Store] = [
    redisStore(connection, { prefix, timeoutMs: 10_000 }),
    ioredisStore(ioredis, { prefix, timeoutMs: 10_000 }),
    nodeRedisStore(nodeRedis, { prefix, timeoutMs: 10_000 }),
  ];
  const keys = async (): Promise<string[]> => (await ioredis.keys(`${prefix}:*`)).sort();
  return { prefix, stores, keys };
}

/** How long the state of a key lives, and for how long it matters. */
async function lifeOf(limiter: Limiter, stateKey: string): Promise<{ ttlMs: number; mattersMs: number }> {
  const { resetAfterMs } = await limiter.peek("user:42");
  return { ttlMs: await ioredis.pttl(stateKey), mattersMs: resetAfterMs };
}

eachAlgorithm((subject) => {
  it("keeps a policy in a hash that people can read, beside the state, until it is cleared", async () => {
    const { prefix, stores, keys } = openEverywhere();
    const limiter = keyedLimiter(subject, stores[0]);
    await limiter.setLimit("user:42", subject.shape(5, HOUR_MS));
    await limiter.consume("user:42");
    const [policyKey = "", ...others] = (await keys()).filter((key) => key.includes("policy"));
    expect(policyKey).toMatch(new RegExp(`^${prefix}:keyed:[a-z]+\\.policy:{user:42}$`));
    expect(others).toEqual([]);
    expect(Object.keys(await ioredis.hgetall(policyKey)).sort()).toEqual(
      [...subject.fields, ...Object.keys(subject.words)].sort(),
    );
    expect(await ioredis.pttl(policyKey)).toBe(-1);
    await limiter.reset("user:42");
    expect(await keys()).toEqual([policyKey]);
    await limiter.clearLimit("user:42");
    expect(await keys()).toEqual([]);
  });

  it("shows every client the same policy", async () => {
    const { stores } = openEverywhere();
    const limiters = stores.map((store) => keyedLimiter(subject, store));
    for (const [turn, writer] of limiters.entries()) {
      const own = subject.shape(5 + turn, HOUR_MS);
      await writer.setLimit("user:42", own);
      const { policy } = subject.create<string>({ ...own, name: "plain" });
      for (const reader of limiters) {
        expect(await reader.getLimit("user:42")).toEqual(policy);
        expect(await reader.peek("user:42")).toMatchObject({ limit: 5 + turn });
      }
      await writer.clearLimit("user:42");
      for (const reader of limiters) expect(await reader.getLimit("user:42")).toBeUndefined();
    }
  });

  it("keeps a state for as long as the key's policy needs it, and not for much longer", async () => {
    const { stores, keys } = openEverywhere();
    const limiter = keyedLimiter(subject, stores[0], subject.shape(10, 60_000));
    await limiter.consume("user:42");
    const [stateKey = ""] = await keys();
    for (const windowMs of [HOUR_MS, 24 * HOUR_MS, 120_000]) {
      await limiter.setLimit("user:42", subject.shape(10, windowMs));
      expect(await limiter.consume("user:42")).toMatchObject({ allowed: true });
      const { ttlMs, mattersMs } = await lifeOf(limiter, stateKey);
      expect(ttlMs).toBeGreaterThan(mattersMs - SLACK_MS);
      expect(ttlMs).toBeLessThan(2 * mattersMs + SLACK_MS);
    }
  });
});
