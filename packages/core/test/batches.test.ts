import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { compose } from "../src/compose.js";
import { defineAlgorithm } from "../src/define-algorithm.js";
import { InvalidPolicyError } from "../src/errors.js";
import type { RedisConnection } from "../src/redis-connection.js";
import { type RedisStoreOptions, redisStore } from "../src/redis-store.js";
import { manualClock } from "../src/testing.js";
import { type Fault, faultyConnection, replyLost } from "./faulty-connection.js";
import { keyedTally } from "./keyed-tally.js";
import { connectResp, useRedis } from "./redis.js";
import { tally, tallyAlgorithm } from "./tiny-algorithm.js";
import { writtenTally } from "./written-tally.js";

const { redis, connection } = await useRedis();
const otherTally = defineAlgorithm({ ...tallyAlgorithm, id: "other-tally", tag: "oth" });
/** The same algorithm once more, as when two copies of its package are loaded. */
const copiedTally = defineAlgorithm({ ...tallyAlgorithm });
const users = (count: number): string[] => Array.from({ length: count }, (_, i) => `u${i}`);

/** A limiter of 10 over a connection with faults, and the numbers of keys of the scripts that it called. */
function setUp(options?: RedisStoreOptions, over: RedisConnection = connection) {
  const keyCounts: number[] = [];
  const scripts: string[] = [];
  const faulty = faultyConnection({
    send(command, args, key) {
      if (command === "EVALSHA") scripts.push(String(args[0]));
      // a script that is sent whole was called before
      if (command !== "EVAL") keyCounts.push(Number(args[1]));
      return over.send(command, args, key);
    },
  });
  const store = redisStore(faulty, options);
  const limiter = tally({ name: "api", limit: 10, window: "1h", store });
  const second = otherTally({ name: "second", limit: 10, window: "1h", store });
  return { store, limiter, second, faulty, keyCounts, scripts };
}

async function remaining(key: string, name = "api"): Promise<number> {
  const seen = redisStore(connection, { batch: false, timeoutMs: 5_000 });
  const make = name === "second" ? otherTally : tally;
  return (await make({ name, limit: 10, window: "1h", store: seen }).peek(key)).remaining;
}

describe("decisions of one turn of the event loop", () => {
  it("go to Redis as one call of a script, each decided by itself, in order, at one time", async () => {
    const { limiter, keyCounts } = setUp();
    const decisions = await Promise.all([
      limiter.consume("a", { cost: 4 }),
      limiter.consume("b"),
      limiter.consume("a", { cost: 7 }),
      limiter.peek("a"),
      limiter.consume("a", { cost: 9, atLeast: 2 }),
      limiter.consume("b", { cost: 8, reserve: 2 }),
      limiter.consume("b", { cost: 0 }),
    ]);
    expect(keyCounts).toEqual([7]);
    expect(decisions.map(({ allowed, taken, remaining }) => [allowed, taken, remaining])).toEqual([
      [true, 4, 6],
      [true, 1, 9],
      [false, 0, 6],
      [true, 0, 6],
      [true, 6, 0],
      [false, 0, 9],
      [true, 0, 9],
    ]);
    expect(new Set(decisions.map(({ decidedAtMs }) => decidedAtMs)).size).toBe(1);
  });

  it("ask the server once for the time, however many they are", async () => {
    const { limiter } = setUp();
    await Promise.all(users(50).map((user) => limiter.consume(user)));
    await redis.command("CONFIG", "RESETSTAT");
    await Promise.all(users(60).map((user) => limiter.consume(user)));
    const stats = String(await redis.command("INFO", "commandstats"));
    expect(stats).toMatch(/cmdstat_time:calls=1,/);
    expect(stats).toMatch(/cmdstat_evalsha:calls=1,/);
    expect(stats).not.toMatch(/cmdstat_pexpiretime/);
  });

  it("of limits of several algorithms, and of one in two copies, go together all the same", async () => {
    const { store, limiter, second, keyCounts } = setUp();
    const copied = copiedTally({ name: "copied", limit: 10, window: "1h", store });
    const written = writtenTally({ name: "written", limit: 10, window: "1h", store });
    const limiters = [limiter, second, copied, written, limiter];
    const decisions = await Promise.all(limiters.map((one, i) => one.consume("a", { cost: i + 1 })));
    expect(decisions.map(({ name, remaining }) => [name, remaining])).toEqual([
      ["api", 9],
      ["second", 8],
      ["copied", 7],
      ["written", 6],
      ["api", 4],
    ]);
    expect(keyCounts).toEqual([5]);
  });

  it("go at most 64 at a time, in order", async () => {
    const { limiter, keyCounts } = setUp();
    const decisions = await Promise.all(Array.from({ length: 150 }, () => limiter.consume("a")));
    expect(keyCounts.filter((count) => count > 0)).toEqual([64, 64, 22]);
    expect(decisions.map(({ allowed }) => allowed)).toEqual(Array.from({ length: 150 }, (_, i) => i < 10));
  });

  it("are exact though the last finds its script where the others have to bring theirs", async () => {
    const { store } = setUp();
    const limiter = tally({ name: "api", limit: 64, window: "1h", store });
    await limiter.consume("other");
    await redis.command("SCRIPT", "FLUSH");
    await limiter.consume("other");
    // the last goes by itself, and finds its script there
    const decisions = await Promise.all(Array.from({ length: 65 }, () => limiter.consume("a")));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(64);
  });

  it.each([
    [2, [2, 2, 1]],
    [3, [3, 2]],
    [1, [1, 1, 1, 1, 1]],
    [255, [5]],
  ])("go at most as many at a time as is asked for: %d", async (maxSize, counts) => {
    const { limiter, keyCounts } = setUp({ batch: { maxSize } });
    await limiter.consume("warm");
    keyCounts.length = 0;
    await Promise.all(users(5).map((user) => limiter.consume(user)));
    // where the script of batches was not there yet, each call tries once more
    expect(keyCounts.slice(0, counts.length)).toEqual(counts);
    keyCounts.length = 0;
    await Promise.all(users(5).map((user) => limiter.consume(user)));
    expect(keyCounts).toEqual(counts);
  });

  it("go 255 at a time where that is allowed", async () => {
    const { limiter, keyCounts } = setUp({ batch: { maxSize: 255 } });
    const decisions = await Promise.all(users(255).map((user) => limiter.consume(user)));
    expect(decisions.every(({ remaining }) => remaining === 9)).toBe(true);
    expect(keyCounts).toEqual([255]);
  });

  it("go each by itself where batches are turned off", async () => {
    const { limiter, keyCounts, scripts } = setUp({ batch: false });
    await limiter.consume("warm");
    await Promise.all(users(5).map((user) => limiter.consume(user)));
    expect(keyCounts).toEqual([1, 1, 1, 1, 1, 1]);
    expect(new Set(scripts).size).toBe(1);
  });

  it("are decided by the algorithm's own script where there is but one", async () => {
    const [alone, gathered] = [setUp({ batch: false }), setUp()];
    await alone.limiter.consume("a");
    await gathered.limiter.consume("a");
    expect(gathered.scripts).toEqual(alone.scripts);
    expect(await gathered.limiter.peek("a")).toMatchObject({ remaining: 8 });
  });

  it("use one script for all algorithms that the store has met, in whatever company", async () => {
    const { limiter, second, scripts } = setUp();
    await Promise.all([limiter.consume("a"), second.consume("a")]);
    scripts.length = 0;
    await Promise.all([limiter.consume("a"), limiter.consume("b")]);
    await Promise.all([second.consume("a"), second.consume("b")]);
    await Promise.all([second.consume("a"), limiter.consume("b")]);
    expect(scripts).toHaveLength(3);
    expect(new Set(scripts).size).toBe(1);
  });

  it("stay by themselves where keys have policies, may be blocked, or limits decide together", async () => {
    const { store, limiter, second, keyCounts } = setUp();
    const keyed = keyedTally({ name: "keyed", limit: 10, window: "1h", perKey: true, store });
    const blocking = tally({ name: "blocking", limit: 10, window: "1h", blockFor: "1h", store });
    const both = compose([limiter, second]);
    const all = () =>
      Promise.all([limiter, keyed, blocking, both, second, limiter].map((one) => one.consume("a")));
    await all();
    keyCounts.length = 0;
    const decisions = await all();
    expect(decisions.every(({ allowed }) => allowed)).toBe(true);
    // what is by itself is not overtaken: the first, then each with its policy, its block, its other limit; then the rest
    expect(keyCounts).toEqual([1, 2, 2, 2, 2]);
    expect(await remaining("a")).toBe(4);
    expect(await remaining("a", "second")).toBe(6);
  });

  it("are not overtaken by what is done to a key after them in that turn", async () => {
    const { limiter } = setUp();
    const all = () => Promise.all([limiter.consume("a"), limiter.consume("a"), limiter.reset("a")]);
    // the scripts are there from the second time on
    await all();
    await all();
    expect(await remaining("a")).toBe(10);
  });
});

describe("under a clock, decisions of one turn", () => {
  it("are made at their time each, in order", async () => {
    const clock = manualClock(1_000);
    const { limiter, keyCounts } = setUp({ clock });
    await Promise.all([limiter.consume("warm"), limiter.consume("warm")]);
    keyCounts.length = 0;
    const asked = [limiter.consume("a"), limiter.consume("a", { cost: 9 })];
    clock.advance(3_600_000);
    asked.push(limiter.consume("a", { cost: 3 }), limiter.peek("a"));
    clock.advance(5);
    asked.push(limiter.consume("a"));
    const decisions = await Promise.all(asked);
    expect(decisions.map(({ decidedAtMs, remaining }) => [decidedAtMs, remaining])).toEqual([
      [1_000, 9],
      [1_000, 0],
      [3_601_000, 7],
      [3_601_000, 7],
      [3_601_005, 6],
    ]);
    expect(keyCounts).toEqual([2, 2, 1]);
  });

  it("may be made at 0", async () => {
    const { limiter } = setUp({ clock: manualClock(0) });
    const decisions = await Promise.all([limiter.consume("a"), limiter.consume("a")]);
    expect(decisions).toMatchObject([
      { decidedAtMs: 0, remaining: 9, resetAfterMs: 3_600_000 },
      { decidedAtMs: 0, remaining: 8, resetAfterMs: 3_600_000 },
    ]);
  });

  it("fail alone where the clock does", async () => {
    const times = [1_000, Number.NaN, 1_000];
    const { limiter, keyCounts } = setUp({ clock: () => times.shift() ?? 1_000 });
    const settled = await Promise.allSettled(users(3).map((user) => limiter.consume(user)));
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(keyCounts).toEqual([2]);
  });
});

describe("where one of a batch fails", () => {
  const KEY = "sluice:api:tly.1:{b}";

  it("it fails alone, and the others are decided and charged", async () => {
    const { store, limiter } = setUp();
    await redis.command("RPUSH", KEY, "1");
    const calls = ["a", "b", "a", "b", "c"].map((key) => limiter.consume(key));
    const settled = await Promise.allSettled([...calls, limiter.peek("b")]);
    expect(settled.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
    ]);
    await expect(calls[1]).rejects.toMatchObject({
      code: "ERR_SLUICE_STORE",
      serverCode: "WRONGTYPE",
      limiterName: "api",
      mayHaveCounted: false,
      message: expect.stringContaining(KEY),
    });
    expect([await remaining("a"), await remaining("c")]).toEqual([8, 9]);
    expect(store.health()).toMatchObject({ state: "closed", failuresInARow: 0 });
  });

  it("what the server says of all is known by its code, and heard by the client from one that is asked again", async () => {
    const { limiter, faulty } = setUp();
    const said = "OOM command not allowed when used memory > 'maxmemory'.";
    const length = Buffer.alloc(2);
    length.writeUInt16LE(said.length);
    const one = Buffer.concat([length, Buffer.from(said)]);
    faulty.faults.push(async () => Buffer.concat([Buffer.from("ee"), one, one]));
    const settled = await Promise.allSettled([limiter.consume("a"), limiter.consume("b")]);
    expect(settled).toMatchObject([
      { value: { allowed: true } },
      { reason: { code: "ERR_SLUICE_STORE", serverCode: "OOM", mayHaveCounted: false } },
    ]);
  });

  it("a key that the user may not touch fails alone", async () => {
    await redis.command("ACL", "SETUSER", "api-only", "on", "nopass", "~sluice:api:*", "+@all");
    const limited = await connectResp(redis);
    await limited.send("AUTH", ["api-only", "any"]);
    const { limiter, second } = setUp({}, limited);
    const settled = await Promise.allSettled([
      limiter.consume("a"),
      second.consume("a"),
      limiter.consume("b"),
    ]);
    limited.close();
    expect(settled).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { serverCode: "NOPERM", limiterName: "second", mayHaveCounted: false } },
      { status: "fulfilled" },
    ]);
  });

  it("a state that no limiter wrote is told as it is where it is asked alone", async () => {
    await redis.command("SET", KEY, "seven");
    const alone = await setUp({ batch: false }).limiter.consume("b").catch(String);
    const { limiter } = setUp();
    const [gathered] = await Promise.all([limiter.consume("b").catch(String), limiter.consume("c")]);
    expect(gathered).toBe(alone);
    expect(gathered).toContain(KEY);
  });
});

describe("where a whole batch fails", () => {
  const late: Fault = async (pass) => {
    const reply = await pass();
    await sleep(150);
    return reply;
  };

  async function warm(options?: RedisStoreOptions) {
    const set = setUp(options);
    await Promise.all([set.limiter.consume("warm"), set.second.consume("warm")]);
    return set;
  }

  it("a lost connection fails each with its own name, and says of each whether it may have counted", async () => {
    const { limiter, second, faulty } = await warm();
    faulty.faults.push(replyLost);
    const calls = [limiter.consume("a"), second.consume("a"), limiter.peek("a"), second.peek("b")];
    const errors = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
    const named = (limiterName: string, mayHaveCounted: boolean) => ({
      code: "ERR_SLUICE_STORE",
      limiterName,
      mayHaveCounted,
      message: `limiter "${limiterName}": Connection is closed.`,
    });
    expect(errors).toMatchObject([
      named("api", true),
      named("second", true),
      named("api", false),
      named("second", false),
    ]);
  });

  it("a timeout fails each likewise, and each that was granted after all is given back", async () => {
    const { limiter, second, faulty } = await warm({ timeoutMs: 50 });
    await Promise.all([limiter.consume("full", { cost: 9 }), limiter.consume("a")]);
    faulty.faults.push(late);
    const calls = [
      limiter.consume("a", { cost: 3 }),
      second.consume("a", { cost: 2 }),
      limiter.consume("full", { cost: 2 }),
      limiter.consume("full", { cost: 5, atLeast: 1 }),
      limiter.peek("a"),
      limiter.consume("b"),
    ];
    const errors = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
    expect(errors.map((error) => Reflect.get(Object(error), "mayHaveCounted"))).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
    ]);
    expect(errors[1]).toMatchObject({ code: "ERR_SLUICE_STORE_TIMEOUT", limiterName: "second" });
    expect([await remaining("a"), await remaining("a", "second"), await remaining("full")]).toEqual([
      6, 8, 0,
    ]);
    await vi.waitFor(async () => {
      const left = [
        await remaining("a"),
        await remaining("a", "second"),
        await remaining("full"),
        await remaining("b"),
      ];
      expect(left).toEqual([9, 10, 1, 10]);
    });
  });

  it.each<[string, unknown]>([
    ["nothing", null],
    ["a text", "OK"],
    ["too few bytes", new Uint8Array(3)],
  ])("a reply that is none fails each: %s", async (_, reply) => {
    const { limiter, second, faulty } = await warm();
    faulty.faults.push(async () => reply);
    const calls = [limiter.consume("a"), second.peek("b")];
    const errors = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
    expect(errors).toMatchObject([
      { code: "ERR_SLUICE_STORE", limiterName: "api", mayHaveCounted: true },
      { code: "ERR_SLUICE_STORE", limiterName: "second", mayHaveCounted: false },
    ]);
    expect(String(errors[0])).toContain("sluice:api:tly.1:{a}");
    expect(String(errors[1])).toContain("sluice:second:oth.1:{b}");
  });

  it("the breaker counts it once, and while it is open each of a batch fails at once", async () => {
    const { store, limiter, faulty } = await warm({ breaker: { failures: 2, cooldownMs: 60_000 } });
    const call = () => Promise.allSettled(users(5).map((user) => limiter.consume(user)));
    faulty.faults.push(replyLost, replyLost);
    await call();
    expect(store.health()).toMatchObject({ state: "closed", failuresInARow: 1 });
    await call();
    expect(store.health()).toMatchObject({ state: "open", failuresInARow: 2 });
    const sent = faulty.sent.length;
    for (const one of await call()) {
      expect(one).toMatchObject({
        status: "rejected",
        reason: { code: "ERR_SLUICE_STORE", mayHaveCounted: false, limiterName: "api" },
      });
    }
    expect(faulty.sent).toHaveLength(sent);
  });

  it("a batch of calls is what finds out whether the server answers again", async () => {
    const { store, limiter, faulty } = await warm({ breaker: { failures: 1, cooldownMs: 20 } });
    faulty.faults.push(replyLost);
    await Promise.allSettled([limiter.consume("a"), limiter.consume("b")]);
    await sleep(40);
    const again = await Promise.all(users(5).map((user) => limiter.consume(user)));
    expect(again.every(({ allowed }) => allowed)).toBe(true);
    expect(store.health()).toMatchObject({ state: "closed", failuresInARow: 0 });
  });

  it("states of the whole server that the script meets count for the breaker as they do one by one", async () => {
    const { store, limiter } = await warm({ breaker: { failures: 2, cooldownMs: 60_000 } });
    await redis.command("CONFIG", "SET", "maxmemory", "1");
    try {
      for (let i = 0; i < 2; i++) {
        const settled = await Promise.allSettled([limiter.consume("a"), limiter.consume("b")]);
        expect(settled).toMatchObject(
          Array(2).fill({ status: "rejected", reason: { serverCode: "OOM", mayHaveCounted: false } }),
        );
      }
      expect(store.health()).toMatchObject({ state: "open", failuresInARow: 2 });
    } finally {
      await redis.command("CONFIG", "SET", "maxmemory", "0");
    }
    expect(await redis.command("KEYS", "*{[ab]}")).toEqual([]);
  });
});

describe("a caller who leaves", () => {
  it("has back what the batch granted to that call, and to no other", async () => {
    const { limiter } = setUp();
    const controller = new AbortController();
    const left = limiter.consume("a", { cost: 3, signal: controller.signal });
    const others = [limiter.consume("a", { cost: 2 }), limiter.consume("b")];
    controller.abort("gone");
    await expect(left).rejects.toBe("gone");
    expect((await Promise.all(others)).map(({ allowed }) => allowed)).toEqual([true, true]);
    await vi.waitFor(async () => expect([await remaining("a"), await remaining("b")]).toEqual([8, 9]));
  });
});

it("a store may meet more algorithms than a script can hold", async () => {
  const { store, limiter } = setUp();
  const many = Array.from({ length: 130 }, (_, i) => {
    const own = defineAlgorithm({ ...tallyAlgorithm, tag: `t${i}` });
    return own({ name: `limit-${i}`, limit: 10, window: "1h", store });
  });
  const settled = await Promise.allSettled([...many, limiter].map((one) => one.consume("a", { cost: 2 })));
  const failed = settled.find(({ status }) => status === "rejected");
  expect(failed).toBeUndefined();
  expect(settled).toMatchObject(Array(131).fill({ value: { remaining: 8 } }));
});

describe("an algorithm whose script is broken", () => {
  const { consume } = tallyAlgorithm.lua;
  const runs = defineAlgorithm({
    ...tallyAlgorithm,
    tag: "rnt",
    lua: { ...tallyAlgorithm.lua, consume: `if cost == 3 then error('no threes') end\n${consume}` },
  });
  const compiles = defineAlgorithm({
    ...tallyAlgorithm,
    tag: "brk",
    lua: { ...tallyAlgorithm.lua, consume: `${consume}\nthen` },
  });

  it("where it runs fails its own calls alone", async () => {
    const { store, limiter } = setUp();
    const odd = runs({ name: "odd", limit: 10, window: "1h", store });
    const settled = await Promise.allSettled([
      limiter.consume("a"),
      odd.consume("a", { cost: 3 }),
      odd.consume("a"),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("where it runs is told of as it is where it is asked alone", async () => {
    const failed = async (batch: false | undefined) => {
      const { store } = setUp({ batch });
      const odd = runs({ name: "odd", limit: 10, window: "1h", store });
      const [one] = await Promise.allSettled([odd.consume("a", { cost: 3 }), odd.consume("a")]);
      return one?.status === "rejected" ? one.reason : undefined;
    };
    const [alone, gathered] = [await failed(false), await failed(undefined)];
    expect(alone).toMatchObject({ serverCode: "ERR", mayHaveCounted: false });
    expect(gathered).toMatchObject({ serverCode: "ERR", mayHaveCounted: false });
  });

  it("where it is compiled fails its own calls alone", async () => {
    const { store, limiter } = setUp();
    const odd = compiles({ name: "odd", limit: 10, window: "1h", store });
    const settled = await Promise.allSettled([limiter.consume("a"), odd.consume("a"), limiter.consume("b")]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    // nor does it fail those that come after it
    const after = await Promise.allSettled([limiter.consume("a"), limiter.consume("b")]);
    expect(after.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  });
});

describe("the options of batches", () => {
  it.each([0, 256, -1, 1.5, Number.NaN, "64", null, true])("refuse %o for a maxSize", (maxSize) => {
    // @ts-expect-error a caller without types
    expect(() => redisStore(connection, { batch: { maxSize } })).toThrow(InvalidPolicyError);
  });

  it.each([true, null, 64, "on", [64], { size: 64 }, { maxSize: 64, delayMs: 5 }])(
    "refuse %j for all of them",
    (batch) => {
      // @ts-expect-error a caller without types
      expect(() => redisStore(connection, { batch })).toThrow(InvalidPolicyError);
    },
  );

  it("say what would be right", () => {
    expect(() => redisStore(connection, { batch: { maxSize: 256 } })).toThrow(
      "redis store: batch.maxSize must be a whole number from 1 to 255, got 256",
    );
    // @ts-expect-error a caller without types
    expect(() => redisStore(connection, { batch: { size: 5 } })).toThrow(
      'redis store, batch: options must be { maxSize }, got the unknown option "size"',
    );
  });

  it("may be left out, one by one", async () => {
    for (const batch of [undefined, {}, { maxSize: undefined }]) {
      const { limiter, keyCounts } = setUp({ batch });
      await Promise.all([limiter.consume("a"), limiter.consume("b")]);
      expect(keyCounts).toEqual([2]);
    }
  });
});
