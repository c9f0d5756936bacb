import { RateLimiterRedis } from "rate-limiter-flexible";
import { type Case, inTurn } from "../case.ts";

/** A fixed window, which is what this package counts by. */
export const rateLimiterFlexible: Case = {
  name: "rate-limiter-flexible, allowed",
  measures: ["throughput", "instructions", "bytes"],
  async prepare({ client, keys }) {
    const limiter = new RateLimiterRedis({
      storeClient: client,
      keyPrefix: "b",
      points: 10_000_000,
      duration: 86_400,
    });
    const nextKey = inTurn(keys);
    await Promise.all(keys.map((key) => limiter.consume(key)));
    return () => limiter.consume(nextKey());
  },
};
