import { type Decision, redisStore } from "@sluice/core";
import { connectResp, type RedisServer, type RespClient, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fixedWindow } from "../src/index.js";

const WINDOW_MS = 40;
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

it("counts each window from 1, up to its last millisecond: the count and its TTL begin together", async () => {
  // rate-limit-redis#216
  const store = redisStore(connection, { prefix: "windows" });
  const limiter = fixedWindow({ name: "api", limit: 1_000_000, window: WINDOW_MS, store });
  const decisions: Decision[] = [];
  const ttls: number[] = [];
  for (const untilMs = performance.now() + 800; performance.now() < untilMs; ) {
    decisions.push(await limiter.consume("key"));
    ttls.push(Number(await redis.command("PTTL", "windows:api:fixed.1:{key}")));
  }
  const counts = new Map<number, number>();
  for (const { decidedAtMs, remaining, limit } of decisions) {
    const window = Math.floor(decidedAtMs / WINDOW_MS);
    const count = 1 + (counts.get(window) ?? 0);
    counts.set(window, count);
    expect(limit - remaining).toBe(count);
  }
  expect(counts.size).toBeGreaterThan(5);
  expect(Math.min(...ttls)).toBeGreaterThan(0);
});

it.each(["clock", "first"] as const)("holds a key in at most 104 bytes, anchor %s", async (anchor) => {
  const store = redisStore(connection, { prefix: "sluice" });
  const limiter = fixedWindow({ name: "b", limit: 100, window: "1h", anchor, store });
  await limiter.reset("12345678");
  for (let call = 0; call < 3; call++) {
    await limiter.consume("12345678");
    const bytes = Number(await redis.command("MEMORY", "USAGE", "sluice:b:fixed.1:{12345678}"));
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(104);
  }
});
