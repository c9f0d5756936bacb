import { leased } from "@sluice/core";
import { ioredisStore } from "@sluice/ioredis";
import { tokenBucket } from "@sluice/token-bucket";
import { Redis } from "ioredis";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { inTurn } from "../case.ts";
import type { LocalCase } from "./case.ts";

/** So large that no call of a benchmark is denied. */
const AMPLE = 1_000_000_000;
/** Keys that are asked for often, which is what leases are for. */
const BUSY_KEYS = 100;
const CALLERS = 200;
const TIMEOUT_MS = 60_000;

/** Decisions that take their units from Redis in portions, and those of the peer, which asks each time. */
export function leaseCases(): LocalCase[] {
  return [
    {
      name: "tokenBucket, leased 500 at a time",
      group: "leased, 200 callers",
      calls: 600_000,
      callers: CALLERS,
      async prepare(keys, redisUrl) {
        const store = ioredisStore(new Redis(redisUrl), { timeoutMs: TIMEOUT_MS });
        const refill = { tokens: 100, every: "1s" };
        const limiter = leased(tokenBucket({ name: "b", capacity: AMPLE, refill, store }), {
          size: 500,
          maxHoldMs: 1_000,
        });
        const nextKey = inTurn(keys.slice(0, BUSY_KEYS));
        return () => limiter.consume(nextKey());
      },
    },
    {
      name: "rate-limiter-flexible, RateLimiterRedis",
      group: "leased, 200 callers",
      calls: 20_000,
      callers: CALLERS,
      isPeer: true,
      async prepare(keys, redisUrl) {
        const storeClient = new Redis(redisUrl);
        const limiter = new RateLimiterRedis({ storeClient, points: AMPLE, duration: 86_400 });
        const nextKey = inTurn(keys.slice(0, BUSY_KEYS));
        return () => limiter.consume(nextKey());
      },
    },
  ];
}
