import { redisStore } from "@sluice/core";
import { connectResp, type RedisServer, type RespClient, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { leakyBucket, leakyBucketMeter } from "../src/index.js";

const leak = { tokens: 4, every: "1h" };
let redis: RedisServer;
let connection: RespClient;

beforeAll(async () => {
  redis = await startRedis();
  connection = await connectResp(redis);
});
afterAll(async () => {
  connection?.close();
  await redis?.stop();
});

it.each([
  ["queue", leakyBucket],
  ["meter", leakyBucketMeter],
] as const)("holds a key of the %s in at most 128 bytes", async (tag, create) => {
  const limiter = create({ name: "b", capacity: 100, leak, store: redisStore(connection) });
  for (let call = 0; call < 3; call++) {
    await limiter.consume("12345678");
    const bytes = Number(await redis.command("MEMORY", "USAGE", `sluice:b:${tag}.1:{12345678}`));
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(128);
  }
});

it("spaces those who wait as they are told by the server's clock", async () => {
  const pace = { tokens: 1, every: 20 };
  const limiter = leakyBucket({ name: "real", capacity: 50, leak: pace, store: redisStore(connection) });
  const turnsMs: number[] = [];
  for (let call = 0; call < 30; call++) {
    const { allowed, decidedAtMs, delayMs } = await limiter.consume("host");
    expect(allowed).toBe(true);
    turnsMs.push(decidedAtMs + delayMs);
  }
  const gapsMs = turnsMs.slice(1).map((turnMs, index) => turnMs - (turnsMs[index] ?? 0));
  // whoever comes before the line has run out is exactly one slot behind the one before
  expect(Math.min(...gapsMs)).toBe(20);
});
