import { compose, type Limiter, redisStore } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { leakyBucket, leakyBucketMeter } from "@sluice/leaky-bucket";
import { connectResp } from "@sluice/redis-server";
import { slidingWindowCounter, slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";
import { describe, expect, it } from "vitest";
import { useRedis } from "./server.ts";

const { redis, connection } = await useRedis();
let rigs = 0;

/** A healthy limit of every algorithm, and one more, whose state for the key "a" may be broken, at either end. */
function setUp(broken: keyof ReturnType<typeof makers>, place: "first" | "last") {
  const prefix = `broken-${rigs++}`;
  const store = redisStore(connection, { prefix });
  const make = makers(store);
  const healthy: Limiter[] = Object.entries(make).map(([name, one]) =>
    one(`healthy-${name.replace(/ /g, "-")}`),
  );
  const one = make[broken]("odd");
  // two queues cannot decide together
  const others = broken === "queue" ? healthy.filter(({ name }) => name !== "healthy-queue") : healthy;
  const limits: Limiter[] = place === "first" ? [one, ...others] : [...others, one];
  return { prefix, one, others, limits: compose(limits) };
}

function makers(store: ReturnType<typeof redisStore>) {
  const rate = { tokens: 1, every: "1h" } as const;
  return {
    bucket: (name: string): Limiter => tokenBucket({ name, capacity: 9, refill: rate, store }),
    window: (name: string): Limiter => fixedWindow({ name, limit: 9, window: "1h", anchor: "first", store }),
    log: (name: string): Limiter => slidingWindowLog({ name, limit: 9, window: "1h", store }),
    counter: (name: string): Limiter => slidingWindowCounter({ name, limit: 9, window: "365d", store }),
    meter: (name: string): Limiter => leakyBucketMeter({ name, capacity: 9, leak: rate, store }),
    queue: (name: string): Limiter => leakyBucket({ name, capacity: 8, leak: rate, store }),
  };
}

async function keyOf(prefix: string, name: string): Promise<string> {
  const found = await redis.command("KEYS", `${prefix}:${name}:*`);
  const [key] = Array.isArray(found) ? found.map(String) : [];
  if (key === undefined) throw new Error(`${name} has no key`);
  return key;
}

async function left(limiters: readonly Limiter[]): Promise<number[]> {
  return Promise.all(limiters.map(async (limiter) => (await limiter.peek("a")).remaining));
}

const ALGORITHMS = ["bucket", "window", "log", "counter", "meter", "queue"] as const;
const PLACES = ["first", "last"] as const;
const CASES = ALGORITHMS.flatMap((algorithm) => PLACES.map((place) => ({ algorithm, place })));

/** What may have become of a state, by hand or by another program. */
const DAMAGES: Record<string, (key: string) => Promise<unknown>> = {
  "is a list": async (key) => {
    await redis.command("DEL", key);
    await redis.command("RPUSH", key, "1");
  },
  "is a text": (key) => redis.command("SET", key, "seven"),
  "is empty but for one byte": (key) => redis.command("SET", key, "1"),
  "has a byte too many": (key) => redis.command("APPEND", key, "!"),
};

/** As many numbers as there were, each of them one that no algorithm writes. */
const FILL = `
  local length = redis.call('STRLEN', KEYS[1])
  redis.call('SET', KEYS[1], string.rep(struct.pack('<d', tonumber(ARGV[1])), length / 8), 'KEEPTTL')`;
for (const number of ["nan", "-1", "0.5", "1e300", "inf"]) {
  DAMAGES[`is ${number} throughout`] = (key) =>
    key.includes(":log.") ? redis.command("SET", key, number) : redis.command("EVAL", FILL, "1", key, number);
}

/** One of the numbers, the others as they were. */
const REPLACE = `
  local at = ARGV[2] == 'first' and 0 or redis.call('STRLEN', KEYS[1]) - 8
  redis.call('SETRANGE', KEYS[1], at, struct.pack('<d', tonumber(ARGV[1])))`;
for (const place of PLACES) {
  for (const number of ["nan", "-1", "0.25", "1e300", "inf"]) {
    DAMAGES[`has ${number} for its ${place} number`] = (key) =>
      key.includes(":log.")
        ? redis.command("SET", key, number)
        : redis.command("EVAL", REPLACE, "1", key, number, place);
  }
}

describe.each(Object.entries(DAMAGES))("where the state of one limit %s", (_, damage) => {
  it.each(CASES)("a $algorithm that is asked $place fails the call, and no other is charged", async (one) => {
    const { prefix, limits, others } = setUp(one.algorithm, one.place);
    await limits.consume("a", { cost: 2 });
    const before = await left(others);
    await damage(await keyOf(prefix, "odd"));
    await expect(limits.consume("a")).rejects.toMatchObject({
      code: "ERR_SLUICE_STORE",
      mayHaveCounted: false,
    });
    await expect(limits.peek("a")).rejects.toMatchObject({ code: "ERR_SLUICE_STORE" });
    expect(await left(others)).toEqual(before);
  });
});

describe("where the string of a log is cut short", () => {
  async function setUpCut(place: "first" | "last", left: number) {
    const set = setUp("log", place);
    for (let i = 0; i < 5; i++) {
      await set.one.consume("a");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const key = await keyOf(set.prefix, "odd");
    const length = Number(await redis.command("STRLEN", key));
    // as bytes, which a text would not keep
    const script = "redis.call('SET', KEYS[1], redis.call('GETRANGE', KEYS[1], 0, ARGV[1]))";
    await redis.command("EVAL", script, "1", key, String(Math.floor(length * left) - 1));
    return set;
  }

  it.each(PLACES.flatMap((place) => [0.3, 0.6, 0.9].map((part) => ({ place, part }))))(
    "to $part of itself, and it is asked $place, the call fails and no other is charged",
    async (one) => {
      const { limits, others } = await setUpCut(one.place, one.part);
      const before = await left(others);
      // what is wrong shows while it is read, but the server does not say when
      await expect(limits.consume("a")).rejects.toMatchObject({ code: "ERR_SLUICE_STORE" });
      await expect(limits.consume("a", { cost: 9 })).rejects.toMatchObject({ code: "ERR_SLUICE_STORE" });
      expect(await left(others)).toEqual(before);
    },
  );
});

describe("where the state of one limit holds numbers that no limiter writes", () => {
  const soonMs = Date.now() + 60_000;

  const ODD: Record<string, readonly number[]> = {
    "a date that is none": [0, Number.NaN, 3_600_000],
    "part of a unit": [0.5, soonMs, 3_600_000],
  };

  it.each(Object.keys(ODD).flatMap((what) => PLACES.map((place) => ({ what, place }))))(
    "such as $what, and it is asked $place, a call that fails does not deny what it has charged to others",
    async ({ what, place }) => {
      const { prefix, limits, others } = setUp("bucket", place);
      await limits.consume("a");
      const bytes = new Uint8Array(Float64Array.from(ODD[what] ?? []).buffer);
      await connection.send("SET", [await keyOf(prefix, "odd"), bytes]);
      const before = await left(others);
      const failure: unknown = await limits.consume("a").catch((error: unknown) => error);
      const after = await left(others);
      expect(failure).toMatchObject({ code: "ERR_SLUICE_STORE" });
      if (String(after) !== String(before)) expect(failure).toMatchObject({ mayHaveCounted: true });
    },
  );
});

it("where a right is missing for what only one limit needs, a call does not deny what it has charged to others", async () => {
  await redis.command("ACL", "SETUSER", "limited", "on", "nopass", "~*", "+@all", "-setrange");
  const limited = await connectResp(redis);
  await limited.send("AUTH", ["limited", "any"]);
  const store = redisStore(limited, { prefix: "limited" });
  const rate = { tokens: 1, every: "1h" } as const;
  const own = { capacity: 9, refill: rate, store };
  const [first, between, last] = [
    tokenBucket({ name: "first", ...own }),
    tokenBucket({ name: "between", ...own }),
    tokenBucket({ name: "last", ...own }),
  ];
  // a key whose TTL fits is written into, one that does not exist is set
  await between.consume("a", { cost: 2 });
  const failure: unknown = await compose([first, between, last])
    .consume("a")
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "ERR_SLUICE_STORE" });
  if (String(await left([first, last])) !== "9,9") expect(failure).toMatchObject({ mayHaveCounted: true });
  limited.close();
});

describe("an error of one limit", () => {
  it("is told of that limit, not of all that were asked", async () => {
    const { prefix, limits } = setUp("bucket", "last");
    await limits.consume("a");
    await redis.command("SET", await keyOf(prefix, "odd"), "seven");
    await expect(limits.consume("a")).rejects.toThrow('limiter "odd": ');
  });

  it.each(PLACES)("that has no policy for the key charges no other, where it is asked %s", async (place) => {
    const store = redisStore(connection, { prefix: `unset-${place}` });
    const other = fixedWindow({ name: "other", limit: 5, window: "1h", anchor: "first", store });
    const unset = tokenBucket({ name: "unset", perKey: true, store });
    const limits: Limiter[] = place === "first" ? [unset, other] : [other, unset];
    const call = compose(limits).consume("a");
    await expect(call).rejects.toMatchObject({ code: "ERR_SLUICE_POLICY_NOT_FOUND" });
    await expect(call).rejects.toThrow('limiter "unset"');
    expect(await left([other])).toEqual([5]);
  });

  it.each(PLACES)("whose policy was broken by hand charges no other, where it is asked %s", async (place) => {
    const prefix = `mangled-${place}`;
    const store = redisStore(connection, { prefix });
    const other = fixedWindow({ name: "other", limit: 5, window: "1h", anchor: "first", store });
    const mangled = slidingWindowLog({ name: "mangled", perKey: true, store });
    await mangled.setLimit("a", { limit: 5, window: "1h" });
    await redis.command("HSET", await keyOf(prefix, "mangled"), "limit", "five");
    const limits: Limiter[] = place === "first" ? [mangled, other] : [other, mangled];
    const call = compose(limits).consume("a");
    await expect(call).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: false });
    await expect(call).rejects.toThrow(/limiter "mangled": limit must be .*, got "five"/);
    expect(await left([other])).toEqual([5]);
  });

  it.each(PLACES)("whose block was broken by hand charges no other, where it is asked %s", async (place) => {
    const prefix = `blocked-${place}`;
    const store = redisStore(connection, { prefix });
    const other = fixedWindow({ name: "other", limit: 5, window: "1h", anchor: "first", store });
    const blocked = tokenBucket({
      name: "blocked",
      capacity: 5,
      refill: { tokens: 1, every: "1h" },
      blockFor: "by-hand",
      store,
    });
    await blocked.block("a", "1h");
    await redis.command("SET", await keyOf(prefix, "blocked"), "for ever");
    const limits: Limiter[] = place === "first" ? [blocked, other] : [other, blocked];
    await expect(compose(limits).consume("a")).rejects.toMatchObject({ mayHaveCounted: false });
    expect(await left([other])).toEqual([5]);
  });
});
