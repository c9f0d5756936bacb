import { describe, expect, it } from "vitest";
import { redisStore } from "../src/redis-store.js";
import { useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const MINUTE_MS = 60_000;
const { redis, connection } = await useRedis();

describe("a block as it lies in Redis", () => {
  const [STATE_KEY, BLOCK_KEY] = ["sluice:log-in:tly.1:{ada}", "sluice:log-in:block:{ada}"];
  const store = redisStore(connection);
  const limiter = tally({ name: "log-in", limit: 3, window: 10_000, blockFor: "1m", store });

  it("lives as long as it lasts, and not a second longer", async () => {
    await limiter.consume("ada", { cost: 3 });
    const { retryAfterMs } = await limiter.consume("ada");
    expect(retryAfterMs).toBe(MINUTE_MS);
    expect(Number(await redis.command("PTTL", BLOCK_KEY))).toSatisfy((ms) => ms > 50_000 && ms <= MINUTE_MS);
    await limiter.block("ada", "1h");
    expect(Number(await redis.command("PTTL", BLOCK_KEY))).toSatisfy(
      (ms) => ms > 3_500_000 && ms <= 3_600_000,
    );
  });

  it("is gone when it has ended, by time or by hand, and with the state after a reset", async () => {
    await limiter.block("ada", 1);
    await expect.poll(() => redis.command("EXISTS", BLOCK_KEY)).toBe(0);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true });
    await limiter.block("ada", "1h");
    await limiter.unblock("ada");
    expect(await redis.command("KEYS", "*")).toEqual([STATE_KEY]);
    await limiter.block("ada", "1h");
    await limiter.reset("ada", { keepBlock: true });
    expect(await redis.command("KEYS", "*")).toEqual([BLOCK_KEY]);
    await limiter.reset("ada");
    expect(await redis.command("KEYS", "*")).toEqual([]);
  });

  it("is gone with the next call after its end, though somebody took its TTL", async () => {
    for (const cost of [1, 4]) {
      await limiter.block("ada", 30);
      await redis.command("PERSIST", BLOCK_KEY);
      await expect.poll(async () => (await limiter.peek("ada", { cost: 0 })).reason).toBe("allowed");
      expect(await redis.command("EXISTS", BLOCK_KEY)).toBe(1);
      await limiter.consume("ada", { cost });
      expect(await redis.command("EXISTS", BLOCK_KEY)).toBe(0);
    }
  });

  it.each(["nan", "-1", "1e300", "0.5"])("is refused where it is %s throughout", async (number) => {
    await limiter.block("ada", "1h");
    const fill = "redis.call('SET', KEYS[1], string.rep(struct.pack('<d', tonumber(ARGV[1])), 2))";
    await redis.command("EVAL", fill, "1", BLOCK_KEY, number);
    await expect(limiter.consume("ada")).rejects.toMatchObject({
      message: expect.stringContaining("this key holds no block of this limit"),
      mayHaveCounted: false,
    });
    await limiter.unblock("ada");
  });

  it("does not keep a lengthened window from a longer life", async () => {
    await limiter.consume("ada", { cost: 3 });
    await limiter.block("ada", "1m");
    await limiter.with({ window: "1h" }).consume("ada");
    expect(Number(await redis.command("PTTL", STATE_KEY))).toBeGreaterThan(3_500_000);
  });

  it("is refused where something else lies under its key", async () => {
    await redis.command("SET", BLOCK_KEY, "1");
    const refused = limiter.consume("ada");
    await expect(refused).rejects.toThrow("this key holds no block of this limit");
    await expect(refused).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: false });
    await limiter.unblock("ada");
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true });
  });
});
