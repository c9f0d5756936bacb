import { type Decision, type Limiter, memoryStore, redisStore, type Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import type { RespClient } from "@sluice/redis-server";
import { describe, expect, it } from "vitest";
import { oneOfEach } from "../src/one-of-each.ts";
import { compareTurns } from "../src/turns.ts";
import { useRedis } from "./server.ts";

const { redis, connection } = await useRedis();
const LEAST_DECISIONS = 5_000;
/** A failure takes its time until its trace is short. */
const TIMEOUT_MS = 120_000;
const NAMES = ["bucket", "window", "log", "counter", "meter", "queue"] as const;
let rigs = 0;

/** A store that tells how many keys the scripts that it called had. */
function setUp(batch?: false): { store: Store; prefix: string; keyCounts: number[] } {
  const keyCounts: number[] = [];
  const send: RespClient["send"] = (command, args) => {
    if (command === "EVALSHA") keyCounts.push(Number(args[1]));
    return connection.send(command, args);
  };
  const prefix = `batches-${rigs++}`;
  const options = { prefix, timeoutMs: 10_000, breaker: false, batch } as const;
  return { store: redisStore({ send }, options), prefix, keyCounts };
}

async function left(limiters: readonly Limiter[], key = "a"): Promise<number[]> {
  return Promise.all(limiters.map(async (limiter) => (await limiter.peek(key)).remaining));
}

it(
  `calls of one turn are answered on Redis as they are in memory one by one, in more than ${LEAST_DECISIONS} decisions`,
  async () => {
    const keyCounts: number[] = [];
    const send: RespClient["send"] = (command, args) => {
      keyCounts.push(Number(args[1]));
      return connection.send(command, args);
    };
    const count = await compareTurns(
      (clock) => ({
        atOnce: redisStore({ send }, { clock, prefix: `turns-${rigs++}`, timeoutMs: 10_000 }),
        inTurn: memoryStore({ clock }),
      }),
      150,
    );
    expect(count).toBeGreaterThan(LEAST_DECISIONS);
    expect(Math.max(...keyCounts)).toBe(64);
  },
  TIMEOUT_MS,
);

it(
  "they are by the clock of the server as well, which is one for a batch",
  async () => {
    const count = await compareTurns(
      (clock) => ({
        atOnce: redisStore(connection, { prefix: `turns-${rigs++}`, timeoutMs: 10_000 }),
        inTurn: memoryStore({ clock }),
      }),
      50,
    );
    expect(count).toBeGreaterThan(1_000);
  },
  TIMEOUT_MS,
);

describe("in a batch of all algorithms", () => {
  it("calls on one key hold their order, whatever else is asked between them", async () => {
    const { store } = setUp();
    const limiters = oneOfEach(store, 50);
    const decisions = await Promise.all(
      Array.from({ length: 60 }, () => limiters.map((limiter) => limiter.consume("a"))).flat(),
    );
    for (const [i] of limiters.entries()) {
      const told = decisions.filter((_, position) => position % limiters.length === i);
      expect(told.map(({ remaining }) => remaining)).toEqual(
        Array.from({ length: 60 }, (_, call) => Math.max(0, 49 - call)),
      );
    }
  });

  it.each(NAMES)("1,000 calls at once on one %s of 5 are granted 5, each another remaining", async (name) => {
    const { store, keyCounts } = setUp();
    const limiter = oneOfEach(store, 5).find((one) => one.name === name);
    if (limiter === undefined) throw new Error(`there is no ${name}`);
    const decisions: Decision[] = await Promise.all(
      Array.from({ length: 1_000 }, () => limiter.consume("a")),
    );
    const granted = decisions.filter(({ allowed }) => allowed);
    expect(granted.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0]);
    expect(decisions.slice(0, 5)).toEqual(granted);
    expect(keyCounts.length).toBeLessThan(50);
  });
});

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

describe.each(Object.entries(DAMAGES))("where the state of one key %s", (_, damage) => {
  it.each(NAMES)(
    "exactly the calls on that %s fail, and the others of the batch are charged",
    async (broken) => {
      const { store, prefix, keyCounts } = setUp();
      const limiters = oneOfEach(store, 9);
      await Promise.all(limiters.map((limiter) => limiter.consume("a", { cost: 2 })));
      const found = await redis.command("KEYS", `${prefix}:${broken}:*`);
      await damage(Array.isArray(found) ? String(found[0]) : "");
      keyCounts.length = 0;

      const calls = [1, 2].flatMap((cost) =>
        limiters.flatMap((limiter) => [
          { limiter, key: "a", call: limiter.consume("a", { cost }) },
          { limiter, key: "b", call: limiter.consume("b", { cost }) },
          { limiter, key: "a", call: limiter.peek("a") },
        ]),
      );
      const settled = await Promise.allSettled(calls.map(({ call }) => call));
      expect(keyCounts).toEqual([calls.length]);
      for (const [i, { limiter, key }] of calls.entries()) {
        const fails = limiter.name === broken && key === "a";
        expect(settled[i]).toMatchObject(
          fails
            ? {
                status: "rejected",
                reason: { code: "ERR_SLUICE_STORE", limiterName: broken, mayHaveCounted: false },
              }
            : { status: "fulfilled", value: { allowed: true } },
        );
      }
      const healthy = limiters.filter(({ name }) => name !== broken);
      expect(await left(healthy)).toEqual(Array(healthy.length).fill(4));
      expect(await left(limiters, "b")).toEqual(Array(limiters.length).fill(6));
    },
  );
});

describe("where the server is out of memory", () => {
  async function whileFull<Value>(work: () => Promise<Value>): Promise<Value> {
    await redis.command("CONFIG", "SET", "maxmemory", "1");
    try {
      return await work();
    } finally {
      await redis.command("CONFIG", "SET", "maxmemory", "0");
    }
  }

  it.each([undefined, false] as const)(
    "denials and looks are answered, and what would be granted fails and is not charged: batch %s",
    async (batch) => {
      const { store } = setUp(batch);
      const limiters = oneOfEach(store, 9);
      await Promise.all(
        limiters.flatMap((limiter) => [limiter.consume("full", { cost: 9 }), limiter.consume("a")]),
      );
      const keysBefore = await redis.command("DBSIZE");
      const settled = await whileFull(() =>
        Promise.all(
          limiters.map((limiter) =>
            Promise.allSettled([
              limiter.consume("full"),
              limiter.consume("a"),
              limiter.peek("a"),
              limiter.consume("new"),
              limiter.peek("new"),
            ]),
          ),
        ),
      );
      for (const [i, own] of settled.entries()) {
        const limiterName = limiters[i]?.name;
        const fails = {
          status: "rejected",
          reason: { code: "ERR_SLUICE_STORE", serverCode: "OOM", limiterName, mayHaveCounted: false },
        };
        expect(own).toMatchObject([
          { status: "fulfilled", value: { allowed: false } },
          fails,
          { status: "fulfilled", value: { remaining: 8 } },
          fails,
          { status: "fulfilled", value: { remaining: 9 } },
        ]);
      }
      expect(await left(limiters)).toEqual(Array(6).fill(8));
      expect(await redis.command("DBSIZE")).toBe(keysBefore);
    },
  );
});

it("a window by the clock and one from the first, of one package, are told apart in a batch", async () => {
  const { store } = setUp();
  const common = { limit: 5, window: "30d", store } as const;
  const clock = fixedWindow({ name: "clock", ...common });
  const first = fixedWindow({ name: "first", anchor: "first", ...common });
  const [byClock, fromFirst] = await Promise.all([clock.consume("a"), first.consume("a")]);
  expect(fromFirst.resetAfterMs).toBe(30 * 86_400_000);
  expect(byClock.resetAfterMs).toBeLessThan(30 * 86_400_000);
});
