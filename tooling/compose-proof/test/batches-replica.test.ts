import { ioredisStore } from "@sluice/ioredis";
import { startRedis } from "@sluice/redis-server";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { oneOfEach } from "../src/one-of-each.ts";

it.each([
  ["one by one", false],
  ["in batches", undefined],
] as const)("a client hears that its server takes no writes any more, be calls sent %s", async (_, batch) => {
  const redis = await startRedis();
  const heard: string[] = [];
  // as the docs have it: true for READONLY, so that it looks for the new primary
  const reconnectOnError = ({ message }: Error): boolean => {
    if (message.includes("READONLY")) heard.push(message);
    return false;
  };
  const client = new Redis(redis.url, { reconnectOnError });
  try {
    const limiters = oneOfEach(ioredisStore(client, { batch, breaker: { failures: 1 } }), 5);
    await Promise.all(limiters.map((limiter) => limiter.consume("a")));
    // of nobody who is there
    await redis.command("REPLICAOF", redis.host, "1");
    const settled = await Promise.allSettled(limiters.map((limiter) => limiter.consume("a")));
    expect(settled).toMatchObject(
      Array(limiters.length).fill({ reason: { serverCode: "READONLY", mayHaveCounted: false } }),
    );
    expect(heard.length).toBeGreaterThan(0);
  } finally {
    client.disconnect();
    await redis.stop();
  }
});
