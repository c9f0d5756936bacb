import { ioredisStore } from "@sluice/ioredis";
import { tokenBucket } from "@sluice/token-bucket";
import { Redis } from "ioredis";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { inTurn } from "../case.ts";
import type { LocalCase } from "./case.ts";

const CALLS = 500_000;

/** Keys of a limit on Redis that were denied, denied again without asking the server. */
export function denialCases(): LocalCase[] {
  return [
    {
      name: "tokenBucket, denyCache",
      group: "denied again",
      calls: CALLS,
      async prepare(keys, redisUrl) {
        const limiter = tokenBucket({
          name: "b",
          capacity: 1,
          refill: { tokens: 1, every: "1d" },
          store: ioredisStore(new Redis(redisUrl)),
          // as long as the peer remembers: no call of a sample asks the server
          denyCache: { maxMs: 86_400_000 },
        });
        for (const key of [...keys, ...keys]) await limiter.consume(key);
        const nextKey = inTurn(keys);
        return () => limiter.consume(nextKey());
      },
    },
    {
      name: "rate-limiter-flexible, inMemoryBlockOnConsumed",
      group: "denied again",
      calls: CALLS,
      isPeer: true,
      async prepare(keys, redisUrl) {
        const storeClient = new Redis(redisUrl);
        const block = { inMemoryBlockOnConsumed: 1 };
        const limiter = new RateLimiterRedis({ storeClient, points: 1, duration: 86_400, ...block });
        // a denial is a rejection there, which every caller has to catch
        const consume = (key: string): Promise<unknown> => limiter.consume(key).catch((denial) => denial);
        for (const key of [...keys, ...keys]) await consume(key);
        const nextKey = inTurn(keys);
        return () => consume(nextKey());
      },
    },
  ];
}
