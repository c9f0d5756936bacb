import { RateLimiterRedis } from "rate-limiter-flexible";
import { type Call, type Case, type ClientName, inTurn, type Place } from "../case.ts";

/** A fixed window, which is what this package counts by. */
async function prepare(by: ClientName, { client, nodeRedis, keys }: Place): Promise<Call> {
  const limiter = new RateLimiterRedis({
    ...(by === "ioredis" ? { storeClient: client } : { storeClient: nodeRedis, useRedisPackage: true }),
    keyPrefix: "b",
    points: 10_000_000,
    duration: 86_400,
  });
  const nextKey = inTurn(keys);
  await Promise.all(keys.map((key) => limiter.consume(key)));
  return () => limiter.consume(nextKey());
}

/** The peer by which gains are reckoned, on the same client. */
export const rateLimiterFlexible: Readonly<Record<ClientName, Case>> = {
  ioredis: {
    name: "rate-limiter-flexible, allowed",
    measures: ["throughput", "instructions", "bytes"],
    prepare: (place) => prepare("ioredis", place),
  },
  "node-redis": {
    name: "rate-limiter-flexible, allowed",
    by: "node-redis",
    measures: ["throughput"],
    prepare: (place) => prepare("node-redis", place),
  },
};
