import { compose, type Store } from "@sluice/core";
import { ioredisStore } from "@sluice/ioredis";
import { tokenBucket } from "@sluice/token-bucket";
import { RateLimiterRedis, RateLimiterUnion } from "rate-limiter-flexible";
import { type Case, inTurn } from "../case.ts";

/** So large that no call of a benchmark is denied. */
const AMPLE = 10_000_000;
/** The server is slow while its instructions are counted. */
const TIMEOUT_MS = 60_000;
const NAMES = ["second", "minute", "day"] as const;

const bucketsOn = (store: Store) =>
  NAMES.map((name) => tokenBucket({ name, capacity: AMPLE, refill: { tokens: 100, every: "1s" }, store }));

/** Three limits on one user: together, one after the other, and by a peer that asks them one after the other. */
export const composeCases: readonly Case[] = [
  {
    name: "compose of three tokenBuckets, allowed",
    measures: ["throughput", "instructions"],
    instructionsAtMost: 106_000,
    async prepare({ client, keys }) {
      const limits = compose(bucketsOn(ioredisStore(client, { timeoutMs: TIMEOUT_MS })));
      const nextKey = inTurn(keys);
      await Promise.all(keys.map((key) => limits.consume(key, { cost: AMPLE / 2 })));
      return () => limits.consume(nextKey());
    },
  },
  {
    name: "three tokenBuckets, allowed one by one",
    measures: ["throughput", "instructions"],
    async prepare({ client, keys }) {
      const buckets = bucketsOn(ioredisStore(client, { timeoutMs: TIMEOUT_MS }));
      const nextKey = inTurn(keys);
      const consume = (key: string, cost: number) =>
        Promise.all(buckets.map((bucket) => bucket.consume(key, { cost })));
      await Promise.all(keys.map((key) => consume(key, AMPLE / 2)));
      return () => consume(nextKey(), 1);
    },
  },
  {
    name: "rate-limiter-flexible, RateLimiterUnion of three",
    measures: ["throughput", "instructions"],
    async prepare({ client, keys }) {
      const limiters = NAMES.map(
        (keyPrefix) =>
          new RateLimiterRedis({ storeClient: client, keyPrefix, points: AMPLE, duration: 86_400 }),
      );
      const union = new RateLimiterUnion(...limiters);
      const nextKey = inTurn(keys);
      await Promise.all(keys.map((key) => union.consume(key)));
      return () => union.consume(nextKey());
    },
  },
];
