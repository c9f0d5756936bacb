import { describe, expect, it, vi } from "vitest";
import { InvalidKeyError, InvalidPolicyError, StoreError, StoreTimeoutError } from "../src/errors.js";
import type { RedisConnection, RedisReadiness } from "../src/redis-connection.js";
import { type RedisStoreOptions, redisStore } from "../src/redis-store.js";
import { faultyConnection, gate, refused } from "./faulty-connection.js";
import { connectResp, RedisReplyError, useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const { redis, connection } = await useRedis();
const KEY = "sluice:api:tly.1:{a}";

function limiterOver(over: RedisConnection, options?: RedisStoreOptions) {
  return tally({ name: "api", limit: 10, window: "1m", store: redisStore(over, options) });
}

describe("the options of a Redis store", () => {
  it.each(["{", "}", "app{1}", "a}b"])(
    "refuse the prefix %j, whose brace would end the hash tag",
    (prefix) => {
      expect(() => redisStore(connection, { prefix })).toThrow(InvalidKeyError);
    },
  );

  it.each([42, null, ["a"]])("refuse the prefix %j", (prefix) => {
    // @ts-expect-error a caller without types
    expect(() => redisStore(connection, { prefix })).toThrow(InvalidKeyError);
  });

  it.each([0, -1, 0.5, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY, "1000", null])(
    "refuse a timeout of %o ms, which no timer can keep",
    (timeoutMs) => {
      // @ts-expect-error a caller without types
      expect(() => redisStore(connection, { timeoutMs })).toThrow(InvalidPolicyError);
    },
  );

  it.each([5, "now", {}, null])("refuse %o for a clock", (clock) => {
    // @ts-expect-error a caller without types
    expect(() => redisStore(connection, { clock })).toThrow(InvalidPolicyError);
  });

  it.each([undefined, null, {}, "redis://127.0.0.1", { send: true }])(
    "refuse %o for a connection",
    (wrong) => {
      // @ts-expect-error a caller without types
      expect(() => redisStore(wrong)).toThrow(
        "redis store: a connection with a send method was expected, got",
      );
    },
  );

  it.each([{ prefx: "shop" }, { timeout: 5 }, { prefix: "shop", batched: false }])(
    "refuse what the store does not know: %j",
    (options) => {
      expect(() => redisStore(connection, options)).toThrow(InvalidPolicyError);
    },
  );

  it.each([null, 5, "shop", ["shop"]])("refuse %j for all of them", (options) => {
    // @ts-expect-error a caller without types
    expect(() => redisStore(connection, options)).toThrow(InvalidPolicyError);
  });

  it("say what would be right", () => {
    // @ts-expect-error a caller without types
    expect(() => redisStore(connection, { prefx: "shop" })).toThrow(
      'redis store: options must be { prefix, timeoutMs, batch, breaker, clock }, got the unknown option "prefx"',
    );
    expect(() => redisStore(connection, { prefix: "{" })).toThrow(
      'redis store: prefix must be a string without braces, got "{"',
    );
    expect(() => redisStore(connection, { timeoutMs: 0 })).toThrow(
      "redis store: timeoutMs must be a whole number from 1 to 2147483647, got 0",
    );
  });

  it("may be as short and as long as a timer", async () => {
    const limiter = limiterOver(connection, { timeoutMs: 2 ** 31 - 1 });
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
    expect(redisStore(connection, { timeoutMs: 1 }).health()).toMatchObject({ state: "closed" });
  });

  it("take no command to check", () => {
    const send = vi.fn();
    redisStore({ send }, { prefix: "shop", timeoutMs: 5 });
    expect(send).not.toHaveBeenCalled();
  });
});

describe("a key in Redis", () => {
  it("is <prefix>:<name>:<algorithm's tag>.<version>:{<key>}", async () => {
    const limiter = limiterOver(connection);
    expect(limiter.policy.algorithm).toBe("tally");
    await limiter.consume("user:42");
    expect(await redis.command("KEYS", "*")).toEqual(["sluice:api:tly.1:{user:42}"]);
  });

  it.each(["", "shop", "a:b|c%"])("begins with the prefix that is chosen: %j", async (prefix) => {
    await limiterOver(connection, { prefix }).consume("a");
    expect(await redis.command("KEYS", "*")).toEqual([`${prefix}:api:tly.1:{a}`]);
  });

  it("has the encoded key for its hash tag, so that all that concerns one user lives in one slot", async () => {
    const { key } = await limiterOver(connection).consume(["{a}", "b😀"]);
    expect(key).toBe("%7Ba%7D|b😀");
    expect(await redis.command("KEYS", "*")).toEqual([`sluice:api:tly.1:{${key}}`]);
  });

  it("is all that a reset deletes", async () => {
    const limiter = limiterOver(connection);
    for (const key of ["u1", "u10", "u1|", ["u1", "0"]]) await limiter.consume(key);
    await redis.command("SET", "sluice:api:tly.2:{u1}", "of a later format");
    await limiter.reset("u1");
    const left = await redis.command("KEYS", "*");
    expect(left).toHaveLength(4);
    expect(left).not.toContain("sluice:api:tly.1:{u1}");
  });

  it("is the only one that a call names", async () => {
    const commands: unknown[] = [];
    const send: RedisConnection["send"] = (command, args, key) => {
      const [, count, ...words] = args;
      commands.push({ command, key, keys: words.slice(0, Number(count)) });
      return connection.send(command, args);
    };
    const limiter = limiterOver({ send });
    await limiter.refund(await limiter.consume("a"));
    await limiter.reset("a");
    expect(commands).toContainEqual({ command: "EVALSHA", key: KEY, keys: [KEY] });
    for (const command of commands) expect(command).toMatchObject({ key: KEY, keys: [KEY] });
  });
});

describe("the time", () => {
  it("is the server's", async () => {
    const serverMs = async (): Promise<number> => {
      const reply = await connection.send("TIME", []);
      const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : [];
      return Math.floor((seconds ?? 0) * 1_000 + (micros ?? 0) / 1_000);
    };
    const limiter = limiterOver(connection);
    for (let i = 0; i < 20; i++) {
      const before = await serverMs();
      const { decidedAtMs } = await limiter.consume(`user:${i % 2}`, { cost: i });
      expect(decidedAtMs).toBeGreaterThanOrEqual(before);
      expect(decidedAtMs).toBeLessThanOrEqual(await serverMs());
    }
  });

  it("is asked for once a call, and read off the key where there is one with a TTL and the server can", async () => {
    const version = /redis_version:(\d+)/.exec(String(await redis.command("INFO", "server")))?.[1];
    const limiter = limiterOver(connection);
    const decision = await limiter.consume("b");
    await redis.command("CONFIG", "RESETSTAT");
    await limiter.consume("a");
    await limiter.consume("a");
    await limiter.peek("a");
    await limiter.settle(decision, 2);
    await redis.command("PERSIST", KEY);
    await limiter.consume("a");
    const stats = String(await redis.command("INFO", "commandstats"));
    const calls = (command: string): number =>
      Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
    const off = Number(version) >= 7 ? 3 : 0;
    expect({ time: calls("time"), pexpiretime: calls("pexpiretime") }).toEqual({
      time: 5 - off,
      pexpiretime: off,
    });
  });

  it("is a clock's where one is passed, in whole milliseconds", async () => {
    const limiter = limiterOver(connection, { clock: () => 1_234.9 });
    const decision = await limiter.consume("a");
    expect(decision).toMatchObject({ decidedAtMs: 1_234, resetAfterMs: 60_000 });
    expect(await limiter.peek("a")).toMatchObject({ decidedAtMs: 1_234 });
    expect(await limiter.settle(decision, 2)).toMatchObject({ decidedAtMs: 1_234 });
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("is never %d: nothing is sent", async (nowMs) => {
    const faulty = faultyConnection(connection);
    const failed = limiterOver(faulty, { clock: () => nowMs }).consume("a");
    await expect(failed).rejects.toThrow(StoreError);
    await expect(failed).rejects.toMatchObject({ mayHaveCounted: false });
    expect(faulty.sent).toEqual([]);
  });
});

describe("the life of a key", () => {
  const ttl = async (): Promise<number> => Number(await redis.command("PTTL", KEY));

  it("is as long as its state matters, and at most twice that and a second", async () => {
    const limiter = limiterOver(connection);
    const decision = await limiter.consume("a");
    expect(await ttl()).toSatisfy((ms) => ms >= 59_500 && ms <= 121_000);
    await limiter.settle(decision, 5);
    expect(await ttl()).toSatisfy((ms) => ms >= 59_500 && ms <= 121_000);
  });

  describe("where its state matters for a minute", () => {
    const halfAsLongAgain = (ms: number): boolean => ms > 90_000 && ms <= 91_000;
    const limiterAt = () => limiterOver(connection, { clock: () => 1_000_000 });

    it("is half as long again, and a second", async () => {
      await limiterAt().consume("a");
      expect(await ttl()).toSatisfy(halfAsLongAgain);
    });

    it.each([61_000, 120_900])("is left at %i ms by a grant and by a correction: that fits", async (ms) => {
      const limiter = limiterAt();
      const decision = await limiter.consume("a");
      await redis.command("PEXPIRE", KEY, String(ms));
      await limiter.consume("a");
      expect(await ttl()).toSatisfy((left) => left > ms - 900 && left <= ms);
      await limiter.settle(decision, 5);
      expect(await ttl()).toSatisfy((left) => left > ms - 900 && left <= ms);
    });

    it.each([59_000, 122_000, 3_600_000])("is set anew by a grant and by a correction: %i ms", async (ms) => {
      const limiter = limiterAt();
      const decision = await limiter.consume("a");
      await redis.command("PEXPIRE", KEY, String(ms));
      await limiter.consume("a");
      expect(await ttl()).toSatisfy(halfAsLongAgain);
      await redis.command("PEXPIRE", KEY, String(ms));
      await limiter.settle(decision, 5);
      expect(await ttl()).toSatisfy(halfAsLongAgain);
    });

    it("is mended by a denial only where it is too short", async () => {
      const limiter = limiterAt();
      await limiter.consume("a", { cost: 10 });
      await redis.command("PEXPIRE", KEY, "3600000");
      await limiter.consume("a");
      expect(await ttl()).toBeGreaterThan(3_500_000);
      await redis.command("PEXPIRE", KEY, "59000");
      await limiter.consume("a");
      expect(await ttl()).toSatisfy(halfAsLongAgain);
    });
  });

  it("ends where nothing is used any more", async () => {
    const limiter = limiterOver(connection);
    await limiter.refund(await limiter.consume("a"));
    expect(await redis.command("EXISTS", KEY)).toBe(0);
  });

  it.each([
    ["a grant", 1],
    ["a denial", 10],
  ])("is mended by %s where the key was found without one, or with too short a one", async (_, cost) => {
    const limiter = limiterOver(connection);
    await limiter.consume("a");
    await redis.command("PERSIST", KEY);
    await limiter.consume("a", { cost });
    expect(await ttl()).toBeGreaterThan(59_000);
    await redis.command("PEXPIRE", KEY, "5000");
    await limiter.consume("a", { cost });
    expect(await ttl()).toBeGreaterThan(59_000);
  });

  it("is left alone by a peek, which changes nothing", async () => {
    const limiter = limiterOver(connection);
    await limiter.consume("a");
    await redis.command("PERSIST", KEY);
    await limiter.peek("a");
    expect(await ttl()).toBe(-1);
  });
});

describe("a reply that makes no sense", () => {
  it.each([
    ["null", null, "null"],
    ["a string", "OK", '"OK"'],
    ["a number", 1, "1"],
    ["an array", [1, 2, 3, 4], "an array"],
    ["short bytes", new Uint8Array([79, 75]), '2 bytes ("OK")'],
    ["bytes that are no whole numbers", new Uint8Array(32).fill(255), "32 bytes"],
  ])("is a StoreError that shows the key and the reply: %s", async (_, reply, shown) => {
    const limiter = limiterOver({ send: async () => reply });
    const failed = limiter.consume("a");
    await expect(failed).rejects.toThrow(StoreError);
    await expect(failed).rejects.toThrow(`limiter "api": Redis answered ${shown}`);
    await expect(failed).rejects.toThrow(`for key "${KEY}"`);
    await expect(failed).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: true });
  });
});

describe("a key that holds something else", () => {
  it("of another type is a StoreError that counted nothing", async () => {
    await redis.command("LPUSH", KEY, "x");
    const failed = limiterOver(connection).consume("a");
    await expect(failed).rejects.toThrow(/^limiter "api": .*WRONGTYPE/);
    await expect(failed).rejects.toMatchObject({
      code: "ERR_SLUICE_STORE",
      mayHaveCounted: false,
      cause: expect.any(RedisReplyError),
    });
    expect(await redis.command("LRANGE", KEY, "0", "-1")).toEqual(["x"]);
  });

  it.each(["", "hello", "x".repeat(15), "x".repeat(17), "x".repeat(24)])(
    "of another length is a StoreError that changes nothing: %j",
    async (text) => {
      const limiter = limiterOver(connection);
      const decision = await limiter.consume("a");
      await redis.command("SET", KEY, text);
      const attempts = [() => limiter.consume("a"), () => limiter.peek("a"), () => limiter.refund(decision)];
      for (const attempt of attempts) {
        const failed = attempt();
        await expect(failed).rejects.toThrow("this key holds no state of this limit");
        await expect(failed).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: false });
      }
      expect(await redis.command("GET", KEY)).toBe(text);
      expect(await redis.command("PTTL", KEY)).toBe(-1);
    },
  );

  it("is put right by a reset", async () => {
    const limiter = limiterOver(connection);
    await redis.command("SET", KEY, "hello");
    await limiter.reset("a");
    expect(await limiter.consume("a")).toMatchObject({ allowed: true, remaining: 9 });
  });
});

describe("a store that fails", () => {
  const lost = new Error("connect ECONNREFUSED 127.0.0.1:6379");
  const call = (name: "consume" | "peek" | "reset", over: RedisConnection, options?: RedisStoreOptions) =>
    limiterOver(over, options)[name]("a");

  describe.each(["consume", "peek", "reset"] as const)("in %s", (name) => {
    it("rejects with a StoreError that has the client's error for its cause", async () => {
      const failed = call(name, { send: () => Promise.reject(lost) });
      await expect(failed).rejects.toThrow(StoreError);
      await expect(failed).rejects.toMatchObject({
        message: 'limiter "api": connect ECONNREFUSED 127.0.0.1:6379',
        cause: lost,
      });
    });

    it("does so too where the client throws", async () => {
      const send = (): never => {
        throw lost;
      };
      await expect(call(name, { send })).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", cause: lost });
    });

    it("does so too where the client rejects with what is no error", async () => {
      const send = (): Promise<never> => Promise.reject("a text");
      await expect(call(name, { send })).rejects.toMatchObject({
        code: "ERR_SLUICE_STORE",
        message: 'limiter "api": "a text"',
        cause: "a text",
      });
    });

    it("says that nothing was counted where the server refused", async () => {
      const faulty = faultyConnection(connection);
      faulty.faults.push(refused);
      await expect(call(name, faulty)).rejects.toMatchObject({ mayHaveCounted: false });
    });

    it("rejects with a StoreTimeoutError once the time is up", async () => {
      const startMs = performance.now();
      const failed = call(name, { send: () => new Promise(() => {}) }, { timeoutMs: 50 });
      await expect(failed).rejects.toThrow(StoreTimeoutError);
      await expect(failed).rejects.toMatchObject({
        message: 'limiter "api": Redis did not answer within 50 ms',
      });
      expect(performance.now() - startMs).toSatisfy((ms) => ms >= 49 && ms < 1_000);
    });
  });

  it.each<[string, RedisConnection]>([
    ["the connection is lost", { send: () => Promise.reject(lost) }],
    ["the reply does not come", { send: () => new Promise(() => {}) }],
  ])("says that a call may have counted where %s", async (_, over) => {
    await expect(call("consume", over, { timeoutMs: 50 })).rejects.toMatchObject({ mayHaveCounted: true });
  });

  it.each<[string, RedisConnection]>([
    ["the connection is lost", { send: () => Promise.reject(lost) }],
    ["the reply does not come", { send: () => new Promise(() => {}) }],
    ["the client rejects with what is no error", { send: () => Promise.reject("a text") }],
  ])("says that nothing was counted by a peek or a reset where %s, since neither counts", async (_, over) => {
    await expect(call("peek", over, { timeoutMs: 50 })).rejects.toMatchObject({ mayHaveCounted: false });
    await expect(call("reset", over, { timeoutMs: 50 })).rejects.toMatchObject({ mayHaveCounted: false });
  });

  it("says so too of a peek whose reply makes no sense", async () => {
    await expect(call("peek", { send: async () => "OK" })).rejects.toMatchObject({ mayHaveCounted: false });
  });

  it("never sends a call again", async () => {
    const faulty = faultyConnection(connection);
    await limiterOver(faulty).consume("a");
    faulty.faults.push(() => Promise.reject(lost));
    const sent = faulty.sent.length;
    await expect(limiterOver(faulty).consume("a")).rejects.toThrow(StoreError);
    expect(faulty.sent.length).toBe(sent + 1);
  });

  it("keeps one deadline for a call, though its script has to be sent again", async () => {
    await redis.command("SCRIPT", "FLUSH");
    const slow: RedisConnection = {
      async send(command, args) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        return connection.send(command, args);
      },
    };
    const failed = limiterOver(slow, { timeoutMs: 500 }).consume("a");
    await expect(failed).rejects.toMatchObject({ code: "ERR_SLUICE_STORE_TIMEOUT", mayHaveCounted: true });
    // though here it is not: what the client held back until then runs nothing
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await redis.command("EXISTS", KEY)).toBe(0);
  });
});

describe("nothing is sent once the deadline has passed", () => {
  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it("where the server lacks the script: the call is not counted after all", async () => {
    await redis.command("SCRIPT", "FLUSH");
    const faulty = faultyConnection(connection);
    const { opened, open } = gate();
    faulty.faults.push((send) => opened.then(send));
    const failed = limiterOver(faulty, { timeoutMs: 20 }).consume("a");
    await expect(failed).rejects.toThrow(StoreTimeoutError);
    open();
    await later(50);
    expect(faulty.sent).toEqual(["EVALSHA"]);
    expect(await redis.command("EXISTS", KEY)).toBe(0);
  });

  it("where another call was loading the script until then", async () => {
    await redis.command("SCRIPT", "FLUSH");
    const faulty = faultyConnection(connection);
    const { opened, open } = gate();
    // the second call learns shortly before its deadline that the first one is loading
    faulty.faults.push(
      (send) => send(),
      (send) => later(270).then(send),
      (send) => opened.then(send),
    );
    const store = redisStore(faulty, { timeoutMs: 300, batch: false });
    const limiters = ["one", "other"].map((name) => tally({ name, limit: 10, window: "1m", store }));
    const settled = await Promise.allSettled(limiters.map((limiter) => limiter.consume("a")));
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    open();
    await later(100);
    expect(faulty.sent).toEqual(["EVALSHA", "EVALSHA", "EVAL"]);
    expect(await redis.command("KEYS", "*")).toEqual([]);
  });
});

it("grants callers on many connections at once what it would grant one in sequence", async () => {
  const connections = await Promise.all(Array.from({ length: 4 }, () => connectResp(redis)));
  const limiters = connections.map((each) => limiterOver(each, { timeoutMs: 10_000 }));
  const consumed = Array.from({ length: 200 }, () => limiters.map((limiter) => limiter.consume("a")));
  const decisions = await Promise.all(consumed.flat());
  const granted = decisions.filter(({ allowed }) => allowed);
  expect(new Set(granted.map(({ remaining }) => remaining)).size).toBe(10);
  expect(granted).toHaveLength(10);
  for (const each of connections) each.close();
});

it("loses no call and doubles none while scripts are flushed under load", async () => {
  const flusher = await connectResp(redis);
  const limiter = tally({ name: "api", limit: 10_000, window: "1m", store: redisStore(connection) });
  let underLoad = true;
  const flushing = (async () => {
    while (underLoad) await flusher.send("SCRIPT", ["FLUSH"]);
  })();
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 50 }, () => limiter.consume("a")));
  }
  underLoad = false;
  await flushing;
  flusher.close();
  expect(await limiter.peek("a")).toMatchObject({ remaining: 9_000 });
});

describe("a call whose caller leaves while it waits for a connection", () => {
  it("is never sent", async () => {
    const client: { is: RedisReadiness } = { is: "connecting" };
    const send = vi.fn(connection.send);
    const limiter = limiterOver({ send, readiness: () => client.is });
    const controller = new AbortController();
    const left = limiter.consume("a", { signal: controller.signal });
    controller.abort("left");
    await expect(left).rejects.toBe("left");
    client.is = "ready";
    await limiter.consume("a");
    expect(send).toHaveBeenCalledOnce();
  });
});
