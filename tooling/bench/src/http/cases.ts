import { ioredisStore } from "@sluice/ioredis";
import { nodeRedisStore } from "@sluice/node-redis";
import { tokenBucket } from "@sluice/token-bucket";
import { type Call, type Case, inTurn, type Place } from "../case.ts";
import { rateLimiterFlexible } from "../cases/rate-limiter-flexible.ts";

/** A busy machine is no reason to fail. */
const TIMEOUT_MS = 60_000;

/** A limiter in front of a server that does nothing else. */
export interface HttpCase extends Pick<Case, "name" | "by" | "prepare"> {
  /** What others on the same client are compared with. */
  readonly isPeer?: boolean;
}

function ofBucket(name: string, by: "ioredis" | "node-redis", batch?: false): HttpCase {
  return {
    name,
    by,
    async prepare({ client, nodeRedis, keys }: Place): Promise<Call> {
      const options = { timeoutMs: TIMEOUT_MS, batch };
      const store = by === "ioredis" ? ioredisStore(client, options) : nodeRedisStore(nodeRedis, options);
      const refill = { tokens: 100, every: "1s" };
      const limiter = tokenBucket({ name: "b", capacity: 10_000_000, refill, store });
      // half is used, so that a call finds a TTL that still fits, as it does on most keys in use
      await Promise.all(keys.map((key) => limiter.consume(key, { cost: 5_000_000 })));
      const nextKey = inTurn(keys);
      return () => limiter.consume(nextKey());
    },
  };
}

export const NO_LIMITER: HttpCase = { name: "no limiter", prepare: async () => async () => undefined };

export const HTTP_CASES: readonly HttpCase[] = [
  NO_LIMITER,
  ofBucket("tokenBucket", "ioredis"),
  ofBucket("tokenBucket, batch: false", "ioredis", false),
  { ...rateLimiterFlexible.ioredis, name: "rate-limiter-flexible", by: "ioredis", isPeer: true },
  ofBucket("tokenBucket", "node-redis"),
  { ...rateLimiterFlexible["node-redis"], name: "rate-limiter-flexible", isPeer: true },
];

/** How a case is asked for. */
export function titleOf({ name, by }: HttpCase): string {
  return by === undefined ? name : `${name}, ${by}`;
}
