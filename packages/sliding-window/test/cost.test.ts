import { redisStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { describe, expect, it } from "vitest";
import { slidingWindowCounter, slidingWindowLog } from "../src/index.js";
import { writeLog } from "./log-layout.js";
import { useRedis } from "./redis.js";

const START_MS = 1_735_689_637_123;
const WINDOW_MS = 3_600_000;
const LOG_KEY = "sluice:b:log.1:{user:042}";
const COUNTER_KEY = "sluice:b:counter.1:{user:042}";

const { connection } = await useRedis();

/** A log on Redis that is asked when it has grants in as many milliseconds as there are dates. */
async function logOf(datesMs: readonly number[], limit = datesMs.length, spare?: number) {
  const clock = manualClock(datesMs.at(-1) ?? START_MS);
  const store = redisStore(connection, { clock, timeoutMs: 10_000 });
  if (datesMs.length > 0) await connection.send("SET", [LOG_KEY, writeLog(datesMs, spare), "PX", "7200000"]);
  return { clock, limiter: slidingWindowLog({ name: "b", limit, window: WINDOW_MS, store }) };
}

function milliseconds(count: number): number[] {
  return Array.from({ length: count }, (_, ms) => START_MS + ms);
}

describe("the bytes of a key", () => {
  const usage = async (key: string): Promise<number> =>
    Number(await connection.send("MEMORY", ["USAGE", key]));

  it("are at most 16 for each of 1000 grants in a log", async () => {
    const { clock, limiter } = await logOf([], 2_000);
    const most: number[] = [];
    for (let grants = 1; grants <= 1_000; grants++) {
      clock.advance(1);
      await limiter.consume("user:042");
      if (grants >= 900) most.push((await usage(LOG_KEY)) / grants);
    }
    expect(most.at(-1)).toBeLessThanOrEqual(16);
    expect(Math.max(...most)).toBeLessThanOrEqual(17);
  });

  it("are no more when as much leaves as comes", async () => {
    const { clock, limiter } = await logOf([], 1_000);
    const apartMs = WINDOW_MS / 1_000;
    await Promise.all(
      Array.from({ length: 2_500 }, () => {
        clock.advance(apartMs);
        return limiter.consume("user:042");
      }),
    );
    expect(await limiter.peek("user:042")).toMatchObject({ remaining: 0 });
    expect(await usage(LOG_KEY)).toBeLessThanOrEqual(16_000);
  });

  it("are at most 128 of a counter, whatever it counts", async () => {
    const clock = manualClock(START_MS);
    const store = redisStore(connection, { clock });
    const limiter = slidingWindowCounter({ name: "b", limit: 2 ** 53 - 2, window: "30d", store });
    for (const cost of [1, 2 ** 52, 3]) {
      await limiter.consume("user:042", { cost });
      clock.advance(30 * 86_400_000);
      expect(await usage(COUNTER_KEY)).toBeLessThanOrEqual(128);
    }
  });
});

describe("the commands of a decision", () => {
  /** How often the server ran each command while a call was made. */
  const commandsOf = async (call: () => Promise<unknown>): Promise<Record<string, number>> => {
    await connection.send("CONFIG", ["RESETSTAT"]);
    await call();
    const stats = String(await connection.send("INFO", ["commandstats"]));
    const counts = [...stats.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm)];
    return Object.fromEntries(counts.map(([, name = "", calls]) => [name, Number(calls)]));
  };

  it("on the allowed path are one read and two writes, however long the log", async () => {
    for (const length of [10, 1_000, 100_000]) {
      const { clock, limiter } = await logOf(milliseconds(length), 2 * length);
      clock.advance(1);
      const { getrange, setrange, set, strlen } = await commandsOf(() => limiter.consume("user:042"));
      expect({ getrange, setrange, set, strlen }).toEqual({ getrange: 1, setrange: 2 });
    }
  });

  it.each([
    ["that is denied a large part of the limit", 0.9, 0],
    ["that is denied all of it", 1, 0],
    ["that is denied one unit", 0, 0],
    ["before which a part of the log has left", 0, 0.4],
    ["before which nearly all of it has left, and which asks for all", 1, 0.9],
  ])("grow with the logarithm of the log for a call %s", async (_, costShare, goneShare) => {
    const readsOf = async (length: number): Promise<number> => {
      const { clock, limiter } = await logOf(milliseconds(length));
      clock.set(START_MS + WINDOW_MS + Math.floor(goneShare * length) - 1);
      const cost = Math.max(1, Math.floor(costShare * length));
      const { getrange = 0 } = await commandsOf(() => limiter.consume("user:042", { cost }));
      return getrange;
    };
    for (const length of [1_000, 100_000]) {
      // once forwards by doubling steps and once back by halving ones, for what has left and for what must leave
      expect(await readsOf(length)).toBeLessThanOrEqual(2 + 4 * Math.ceil(Math.log2(length)));
    }
    expect((await readsOf(100_000)) - (await readsOf(1_000))).toBeLessThanOrEqual(4 * Math.log2(100));
  });
});

describe("the time of a decision", () => {
  /** How long the server was busy with a call, in microseconds: the least of three tries. */
  const microsecondsOf = async (prepare: () => Promise<() => Promise<unknown>>): Promise<number> => {
    const tries: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const call = await prepare();
      await connection.send("CONFIG", ["SET", "slowlog-log-slower-than", "0"]);
      await connection.send("SLOWLOG", ["RESET"]);
      await call();
      await connection.send("CONFIG", ["SET", "slowlog-log-slower-than", "-1"]);
      const entries = await connection.send("SLOWLOG", ["GET", "10"]);
      for (const entry of Array.isArray(entries) ? entries : []) {
        const [, , microseconds, words] = Array.isArray(entry) ? entry : [];
        const command = Array.isArray(words) ? String(words[0]).toUpperCase() : "";
        if (command === "EVALSHA" || command === "EVAL") tries.push(Number(microseconds));
      }
    }
    expect(tries.length).toBeGreaterThanOrEqual(3);
    return Math.min(...tries);
  };

  it.each([
    ["all of 100,000 grants leave", 100_000],
    ["all but one of them leave", 99_999],
  ])("is within 5 ms when at once %s", async (_, gone) => {
    expect(await microsecondsOf(() => whenGone(gone))).toBeLessThan(5_000);
  });

  it("is within 50 ms when half of 100,000 grants leave at once, and the rest is copied", async () => {
    expect(await microsecondsOf(() => whenGone(50_001))).toBeLessThan(50_000);
    expect(await connection.send("STRLEN", [LOG_KEY])).toBeLessThan(12 * 60_000);
  });

  it("is within 50 ms when a log of 100,000 grants finds no more room, and is copied", async () => {
    const microseconds = await microsecondsOf(async () => {
      const { clock, limiter } = await logOf(milliseconds(100_000), 200_000, 0);
      // with the first script a server is asked to load it
      await limiter.peek("user:042");
      clock.advance(1);
      return () => limiter.consume("user:042");
    });
    expect(microseconds).toBeLessThan(50_000);
    expect(await connection.send("STRLEN", [LOG_KEY])).toBeGreaterThan(12 * 110_000);
  });

  /** A call before which so many of 100,000 grants have left. */
  async function whenGone(gone: number): Promise<() => Promise<unknown>> {
    const { clock, limiter } = await logOf(milliseconds(100_000));
    await limiter.peek("user:042");
    clock.set(START_MS + WINDOW_MS + gone - 1);
    return async () => {
      expect(await limiter.consume("user:042")).toMatchObject({ allowed: true, remaining: gone - 1 });
    };
  }
});
