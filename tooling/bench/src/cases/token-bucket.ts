import { ioredisStore } from "@sluice/ioredis";
import { nodeRedisStore } from "@sluice/node-redis";
import { type Limiter, type TokenBucketOptions, tokenBucket } from "@sluice/token-bucket";
import type { Redis } from "ioredis";
import { type Case, inTurn } from "../case.ts";

/** So large that no call of a benchmark is denied: half of it is used from the start. */
const AMPLE: TokenBucketOptions = { capacity: 10_000_000, refill: { tokens: 100, every: "1s" } };
/** So small that every call after the first is denied. */
const SCANT: TokenBucketOptions = { capacity: 1, refill: { tokens: 1, every: "1d" } };

/** The server is slow while its instructions are counted. */
const TIMEOUT_MS = 60_000;

function limiterOn(client: Redis, options: TokenBucketOptions, batch?: false): Limiter {
  const store = ioredisStore(client, { timeoutMs: TIMEOUT_MS, batch });
  return tokenBucket({ name: "b", store, ...options });
}

/** Uses half of the bucket, so that a call finds a TTL that still fits, as it does on most keys in use. */
async function useHalf(limiter: Limiter, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => limiter.consume(key, { cost: AMPLE.capacity / 2 })));
}

const allowed: Case = {
  name: "tokenBucket, allowed",
  measures: ["throughput", "instructions", "bytes"],
  instructionsAtMost: 45_000,
  async prepare({ client, keys }) {
    const limiter = limiterOn(client, AMPLE);
    const nextKey = inTurn(keys);
    await useHalf(limiter, keys);
    return () => limiter.consume(nextKey());
  },
};

const alone: Case = {
  name: "tokenBucket, allowed, batch: false",
  measures: ["throughput", "instructions"],
  async prepare({ client, keys }) {
    const limiter = limiterOn(client, AMPLE, false);
    const nextKey = inTurn(keys);
    await useHalf(limiter, keys);
    return () => limiter.consume(nextKey());
  },
};

const firstOfKey: Case = {
  name: "tokenBucket, a key's first call",
  measures: ["instructions"],
  async prepare({ client, keys }) {
    const limiter = limiterOn(client, AMPLE);
    const nextKey = inTurn(keys);
    let count = 0;
    return () => limiter.consume([nextKey(), String(count++)]);
  },
};

const denied: Case = {
  name: "tokenBucket, denied",
  measures: ["instructions"],
  async prepare({ client, keys }) {
    const limiter = limiterOn(client, SCANT);
    const nextKey = inTurn(keys);
    await Promise.all(keys.map((key) => limiter.consume(key)));
    return () => limiter.consume(nextKey());
  },
};

const peek: Case = {
  name: "tokenBucket, peek",
  measures: ["instructions"],
  async prepare({ client, keys }) {
    const limiter = limiterOn(client, AMPLE);
    const nextKey = inTurn(keys);
    await useHalf(limiter, keys);
    return () => limiter.peek(nextKey());
  },
};

const refund: Case = {
  name: "tokenBucket, refund",
  measures: ["instructions"],
  async prepare({ client, keys, calls }) {
    const limiter = limiterOn(client, AMPLE);
    const nextKey = inTurn(keys);
    await useHalf(limiter, keys);
    const decisions = await Promise.all(Array.from({ length: calls }, () => limiter.consume(nextKey())));
    const nextDecision = inTurn(decisions);
    return () => limiter.refund(nextDecision());
  },
};

function overNodeRedis(name: string, batch?: false): Case {
  return {
    name,
    by: "node-redis",
    measures: ["throughput"],
    async prepare({ nodeRedis, keys }) {
      const store = nodeRedisStore(nodeRedis, { timeoutMs: TIMEOUT_MS, batch });
      const limiter = tokenBucket({ name: "b", store, ...AMPLE });
      const nextKey = inTurn(keys);
      await useHalf(limiter, keys);
      return () => limiter.consume(nextKey());
    },
  };
}

export const tokenBucketCases: readonly Case[] = [
  allowed,
  alone,
  firstOfKey,
  denied,
  peek,
  refund,
  overNodeRedis(allowed.name),
  overNodeRedis(alone.name, false),
];
