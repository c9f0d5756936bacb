import { describe, expect, it } from "vitest";
import { compose } from "../src/compose.js";
import { InvalidPolicyError, StoreError } from "../src/errors.js";
import { redisStore } from "../src/redis-store.js";
import { StoredPolicies } from "../src/stored-policies.js";
import { keyedTally, keyedTallyAlgorithm } from "./keyed-tally.js";
import { connectResp, useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const { redis, connection } = await useRedis();
const POLICY_KEY = "sluice:api:kty.policy:{ada}";

function limiterOver(over = connection) {
  return keyedTally({ name: "api", limit: 5, window: "1s", perKey: true, store: redisStore(over) });
}

describe("stored policies", () => {
  const policies = new StoredPolicies("api", keyedTallyAlgorithm);

  it("are written as fields of text, durations in milliseconds", () => {
    const { fields, params } = policies.write({ limit: 100, window: "1m" });
    expect(fields).toEqual({ limit: "100", windowMs: "60000" });
    expect(params).toEqual([100, 60_000]);
  });

  it("are read as the policy of a limiter that is made with them", () => {
    const { policy } = tally({ name: "api", limit: 100, window: "1m" });
    expect(policies.read({ limit: "100", windowMs: "60000" })).toEqual({
      ...policy,
      algorithm: "keyed-tally",
    });
  });

  it("are refused where no factory would take them", () => {
    expect(() => policies.write({ limit: -1, window: "1m" })).toThrow(InvalidPolicyError);
    expect(() => policies.write({ limit: 1, window: "1m", prefix: "x" })).toThrow(
      'limiter "api", setLimit(): options must be { limit, window }, got the unknown option "prefix"',
    );
  });

  it.each([
    [{ limit: "100" }, "windowMs"],
    [{ limit: "-1", windowMs: "1000" }, "limit"],
    [{ limit: "1e3", windowMs: "1000" }, "limit"],
    [{ limit: "100", windowMs: "1m" }, "windowMs"],
    [{ limit: "100", windowMs: "0" }, "windowMs"],
    [{ limit: "100", windowMs: "1000", burst: "5" }, "burst"],
    [{ limit: "100", windowMs: "1000", window: "5" }, "window"],
  ])("are a StoreError that names the field, where somebody has broken them: %j", (fields, field) => {
    const name = new RegExp(`\\b${field}\\b`);
    expect(() => policies.read(fields)).toThrow(StoreError);
    expect(() => policies.read(fields)).toThrow(name);
    expect(() => policies.read(fields)).toThrow(expect.objectContaining({ mayHaveCounted: false }));
  });

  it("are not advised to be what they may not be: no hash says 250ms", () => {
    const read = () => policies.read({ limit: "100", windowMs: "soon" });
    expect(read).toThrow(StoreError);
    expect(read).not.toThrow('"250ms"');
  });
});

describe("a policy as it lies in Redis", () => {
  it("can be read by people, beside the state of its key, and has no TTL", async () => {
    const limiter = limiterOver();
    await limiter.setLimit("ada", { limit: 100, window: "1m" });
    await limiter.consume("ada");
    expect(await redis.command("HGETALL", POLICY_KEY)).toEqual(["limit", "100", "windowMs", "60000"]);
    expect(await redis.command("PTTL", POLICY_KEY)).toBe(-1);
    expect(await redis.command("EXISTS", "sluice:api:kty.1:{ada}")).toBe(1);
  });

  it("is what was set last, and nothing of what was set before", async () => {
    const limiter = limiterOver();
    await redis.command("HSET", POLICY_KEY, "burst", "5");
    await limiter.setLimit("ada", { limit: 7, window: "1h" });
    expect(await redis.command("HGETALL", POLICY_KEY)).toEqual(["limit", "7", "windowMs", "3600000"]);
  });

  it("stays where a new one cannot be written", async () => {
    const limiter = limiterOver();
    await limiter.setLimit("ada", { limit: 100, window: "1m" });
    await redis.command("ACL", "SETUSER", "default", "-hset");
    try {
      await expect(limiter.setLimit("ada", { limit: 7, window: "1h" })).rejects.toMatchObject({
        serverCode: "NOPERM",
        mayHaveCounted: false,
      });
    } finally {
      await redis.command("ACL", "SETUSER", "default", "+hset");
    }
    expect(await limiter.getLimit("ada")).toMatchObject({ limit: 100 });
  });

  it("is gone once it is cleared, and left by a reset", async () => {
    const limiter = limiterOver();
    await limiter.setLimit("ada", { limit: 100, window: "1m" });
    await limiter.reset("ada");
    expect(await redis.command("EXISTS", POLICY_KEY)).toBe(1);
    await limiter.clearLimit("ada");
    expect(await redis.command("EXISTS", POLICY_KEY)).toBe(0);
  });

  it("is heard of by other processes at their next call", async () => {
    const other = await connectResp(redis);
    const elsewhere = limiterOver(other);
    expect(await elsewhere.consume("ada")).toMatchObject({ limit: 5 });
    await limiterOver().setLimit("ada", { limit: 100, window: "1m" });
    expect(await elsewhere.consume("ada")).toMatchObject({ limit: 100, remaining: 98 });
    other.close();
  });

  it("may be written by hand", async () => {
    await redis.command("HSET", POLICY_KEY, "windowMs", "60000", "limit", "100");
    expect(await limiterOver().consume("ada")).toMatchObject({ limit: 100, windowMs: 60_000 });
  });

  it.each([
    ["windowMs", undefined, "windowMs must be a whole number, got nothing"],
    ["limit", "1e3", 'limit must be a whole number, got "1e3"'],
    ["limit", "5\r\n+OK", 'limit must be a whole number, got "5??+OK"'],
    ["windowMs", "0", 'windowMs must be a whole number from 1 to 4503599627370496, got "0"'],
    ["burst", "5", 'burst must be absent: the algorithm knows no such field, got "5"'],
  ])("is refused by every call where %s says %j", async (field, text, problem) => {
    const limiter = limiterOver();
    const granted = await limiter.consume("ada", { cost: 2 });
    await redis.command("HSET", POLICY_KEY, "limit", "100", "windowMs", "60000");
    if (text === undefined) await redis.command("HDEL", POLICY_KEY, field);
    else await redis.command("HSET", POLICY_KEY, field, text);
    const calls = [
      () => limiter.consume("ada"),
      () => limiter.peek("ada"),
      () => limiter.settle(granted, 1),
      () => limiter.refund(granted),
    ];
    for (const call of calls) {
      const refused = call();
      await expect(refused).rejects.toThrow(`limiter "api": ${problem}, at "sluice:api:kty.1:{ada}"`);
      await expect(refused).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: false });
    }
    await limiter.clearLimit("ada");
    expect(await limiter.peek("ada")).toMatchObject({ limit: 5, remaining: 3 });
  });

  it("is named with its limit where a composite meets it, and none of the limits is charged", async () => {
    const store = redisStore(connection);
    const other = tally({ name: "other", limit: 5, window: "1s", store });
    const keyed = keyedTally({ name: "api", perKey: true, store });
    await redis.command("HSET", POLICY_KEY, "limit", "x", "windowMs", "60000");
    const refused = compose([other, keyed]).consume("ada");
    await expect(refused).rejects.toThrow(/^limiter "api": limit must be/);
    await expect(refused).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: false });
    expect(await other.peek("ada")).toMatchObject({ remaining: 5 });
  });

  it.each([
    ["a string", ["SET", POLICY_KEY, "limit=5"]],
    ["a list", ["RPUSH", POLICY_KEY, "limit", "5"]],
  ])("is refused where it is %s", async (_, command) => {
    const limiter = limiterOver();
    await redis.command(...command);
    for (const refused of [limiter.consume("ada"), limiter.getLimit("ada")]) {
      await expect(refused).rejects.toThrow(/^limiter "api": .*WRONGTYPE/);
      await expect(refused).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: false });
    }
    await limiter.setLimit("ada", { limit: 100, window: "1m" });
    expect(await limiter.consume("ada")).toMatchObject({ limit: 100 });
  });

  it("is no other because it begins with a byte order mark: that is broken for getLimit too", async () => {
    const limiter = limiterOver();
    await redis.command("HSET", POLICY_KEY, "limit", "\u{feff}5", "windowMs", "1000");
    await expect(limiter.consume("ada")).rejects.toThrow(StoreError);
    await expect(limiter.getLimit("ada")).rejects.toThrow(StoreError);
  });
});
