import { type Decision, type Limiter, memoryStore, redisStore } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import { describe, expect, it } from "vitest";
import { slidingWindowLog } from "../src/index.js";
import { ENTRY_BYTES, HEADER_BYTES, readLog, writeLog } from "./log-layout.js";
import { bytesOf, useRedis } from "./redis.js";

const START_MS = 1_735_689_637_123;
const WINDOW_MS = 30_000;
/** In units of a life. */
const LIMIT = 8_000;
const TIMEOUT_MS = 60_000;
/** An entry further back than this is corrected in several spans. */
const SPAN = 512;
const KEY = "sluice:b:log.1:{user:042}";

const { connection } = await useRedis();

/** A log on Redis, and the clock that it goes by. */
function onRedis(limit: number, window = WINDOW_MS, clock = manualClock(START_MS)) {
  const store = redisStore(connection, { clock, timeoutMs: TIMEOUT_MS });
  return { clock, limiter: slidingWindowLog({ name: "b", limit, window, store }) };
}

describe("the string of a log", () => {
  it("holds an entry for each millisecond in which something was granted, and an eighth to spare", async () => {
    const { clock, limiter } = onRedis(100);
    for (let ms = 0; ms < 5; ms++) {
      await limiter.consume("user:042");
      clock.advance(1);
    }
    const dates = Array.from({ length: 5 }, (_, ms) => START_MS + ms);
    expect(await bytesOf(connection, KEY)).toEqual(writeLog(dates));
    clock.set(START_MS + 4);
    await Promise.all([3, 5].map((cost) => limiter.consume("user:042", { cost })));
    expect(readLog(await bytesOf(connection, KEY))).toEqual({
      head: 0,
      base: 0,
      entries: [1, 2, 3, 4, 13].map((total, index) => ({ total, atMs: START_MS + index })),
      slots: 8,
    });
  });

  it("moves its head past what has left, by one write for all of it", async () => {
    const { clock, limiter } = onRedis(100);
    for (let ms = 0; ms < 18; ms++) {
      clock.set(START_MS + ms);
      await limiter.consume("user:042");
    }
    const before = readLog(await bytesOf(connection, KEY));
    clock.set(START_MS + WINDOW_MS + 14);
    await limiter.consume("user:042");
    const { head, base, entries, slots } = readLog(await bytesOf(connection, KEY));
    expect({ head, base, slots }).toEqual({ head: 15, base: 15, slots: before.slots });
    expect(entries).toEqual([...before.entries, { total: 19, atMs: START_MS + WINDOW_MS + 14 }]);
  });

  it("gives up its last entry when that is given back, so that it knows when it will be unused", async () => {
    const { clock, limiter } = onRedis(100);
    const decisions: Decision[] = [];
    for (let ms = 0; ms < 4; ms++) {
      clock.set(START_MS + 100 * ms);
      decisions.push(await limiter.consume("user:042"));
    }
    for (const decision of [decisions[1], decisions[2], decisions[3]]) {
      if (decision !== undefined) await limiter.refund(decision);
    }
    expect(readLog(await bytesOf(connection, KEY)).entries).toEqual([{ total: 1, atMs: START_MS }]);
    expect(await limiter.peek("user:042")).toMatchObject({ remaining: 99, resetAfterMs: WINDOW_MS - 300 });
  });

  it("knows its first entry after that was corrected", async () => {
    const { clock, limiter } = onRedis(10);
    const first = await limiter.consume("user:042", { cost: 5 });
    clock.advance(100);
    await limiter.consume("user:042", { cost: 3 });
    await limiter.settle(first, 2);
    // 5 are used: for 7 more the first 2 must leave, for 8 more the 3 as well
    expect((await limiter.consume("user:042", { cost: 7 })).retryAfterMs).toBe(WINDOW_MS - 100);
    expect((await limiter.consume("user:042", { cost: 8 })).retryAfterMs).toBe(WINDOW_MS);
    clock.set(START_MS + WINDOW_MS);
    expect((await limiter.consume("user:042")).remaining).toBe(6);
  });

  it("counts on where its running totals wrap around, be it at its first entry", async () => {
    const limit = 2 ** 48 - 2;
    const { clock, limiter } = onRedis(limit);
    const call = async (ms: number, cost: number): Promise<Decision> => {
      clock.set(START_MS + ms);
      return limiter.consume("user:042", { cost });
    };
    await call(0, limit - 8);
    await call(10, 5);
    expect((await call(WINDOW_MS, limit - 100)).remaining).toBe(95);
    expect(readLog(await bytesOf(connection, KEY)).entries.map(({ total }) => total)).toEqual([
      limit - 8,
      limit - 3,
      limit - 105,
    ]);
    expect((await call(WINDOW_MS + 20, 3)).remaining).toBe(97);
    // the first entry lies across the end of what a total can tell
    expect(await call(WINDOW_MS + 30, limit - 3)).toMatchObject({
      remaining: 97,
      retryAfterMs: WINDOW_MS - 30,
    });
    expect((await call(WINDOW_MS + 30, limit)).retryAfterMs).toBe(WINDOW_MS - 10);
    expect((await call(2 * WINDOW_MS, 1)).remaining).toBe(limit - 4);
  });

  it("tells dates from one another in any year, and windows of 2^48 ms", async () => {
    const clock = manualClock(2 ** 52);
    const { limiter } = onRedis(10, 2 ** 48, clock);
    await limiter.consume("user:042", { cost: 3 });
    clock.advance(2 ** 48 - 1);
    await limiter.consume("user:042", { cost: 4 });
    expect(await limiter.consume("user:042", { cost: 4 })).toMatchObject({ allowed: false, retryAfterMs: 1 });
    clock.advance(1);
    expect(await limiter.consume("user:042", { cost: 4 })).toMatchObject({
      remaining: 2,
      resetAfterMs: 2 ** 48,
    });
  });
});

describe("a long life of one log", () => {
  it.each([
    ["", 1],
    [", whose totals wrap around", 2 ** 35],
  ])(
    "is decided alike in memory and on Redis%s",
    async (_, unit) => {
      const life = new Life(unit);
      for (let round = 0; round < 2; round++) {
        // it grows to some two thousand entries, many grants a millisecond, until it is full
        await life.live({ calls: 2_000, apartMs: 12 });
        await life.correct(60);
        // as much leaves as comes
        await life.live({ calls: 2_500, apartMs: 60 });
        await life.correct(60);
        // most of it leaves at once, or all but what counts longest
        life.clock.advance(WINDOW_MS - 3_000 + 2_900 * round);
        await life.live({ calls: 100, apartMs: 40 });
        await life.correct(30);
        await life.live({ calls: 600, apartMs: 200 });
        // all of it leaves at once
        life.clock.advance(WINDOW_MS);
        await life.live({ calls: 50, apartMs: 3 });
        await life.correct(10);
      }
      // it did live through all that
      expect(life.seen.allowed).toBeGreaterThan(5_000);
      expect(life.seen.denied).toBeGreaterThan(1_000);
      expect(life.seen.corrected).toBeGreaterThan(300);
      expect(life.seen.correctedFarBehind).toBeGreaterThan(20);
      expect(life.seen.grown).toBeGreaterThan(50);
      expect(life.seen.shrunk).toBeGreaterThan(10);
      if (unit > 1) expect(life.seen.wrapped).toBeGreaterThan(50);
    },
    TIMEOUT_MS,
  );
});

/** One key of a log in memory and of one on Redis, which are told the same and must answer the same. */
class Life {
  readonly seen = {
    allowed: 0,
    denied: 0,
    corrected: 0,
    correctedFarBehind: 0,
    grown: 0,
    shrunk: 0,
    wrapped: 0,
  };
  readonly clock: ManualClock;
  readonly #unit: number;
  readonly #random: (below: number) => number;
  readonly #inMemory: Limiter;
  readonly #onRedis: Limiter;
  /** What was granted and not given back. */
  readonly #grants: [inMemory: Decision, onRedis: Decision][] = [];
  #slots = 0;

  constructor(unit: number) {
    this.#unit = unit;
    this.#random = randomNumbers(unit);
    const { clock, limiter } = onRedis(LIMIT * unit);
    this.clock = clock;
    this.#onRedis = limiter;
    const store = memoryStore({ clock });
    this.#inMemory = slidingWindowLog({ name: "b", limit: LIMIT * unit, window: WINDOW_MS, store });
  }

  /** Calls that come by the dozen, a random time apart, some of them for many units, for fewer, or with a reserve. */
  async live({ calls, apartMs }: { calls: number; apartMs: number }): Promise<void> {
    for (let call = 0; call < calls; call += 25) {
      const decided = Array.from({ length: 25 }, () => {
        if (this.#random(3) > 0) this.clock.advance(this.#random(apartMs + 1));
        const cost = this.#unit * (this.#random(50) === 0 ? this.#random(300) : 1 + this.#random(3));
        const atLeast = this.#random(10) === 0 ? Math.min(cost, this.#unit) : cost;
        const reserve = this.#random(10) === 0 ? this.#unit * this.#random(1_000) : 0;
        return this.#ask((limiter) => limiter.consume("user:042", { cost, atLeast, reserve }));
      });
      for (const [one, other] of await Promise.all(decided)) {
        this.seen[one.allowed ? "allowed" : "denied"]++;
        if (one.taken > 0) this.#grants.push([one, other]);
      }
      await this.#look();
    }
    await this.#compareAll();
  }

  /** Refunds and settlements of grants of any age, one after the other. */
  async correct(count: number): Promise<void> {
    for (let correction = 0; correction < count; correction++) {
      const index = this.#random(this.#grants.length);
      const [one, other] = this.#grants[index] ?? nothing();
      const later = this.#grants.filter(([{ decidedAtMs }]) => decidedAtMs > one.decidedAtMs);
      const isCounted = one.decidedAtMs > this.clock() - WINDOW_MS;
      if (isCounted && new Set(later.map(([{ decidedAtMs }]) => decidedAtMs)).size > SPAN) {
        this.seen.correctedFarBehind++;
      }
      this.seen.corrected++;
      if (this.#random(2) === 0) {
        this.#grants.splice(index, 1);
        await Promise.all([this.#inMemory.refund(one), this.#onRedis.refund(other)]);
        await this.#ask((limiter) => limiter.peek("user:042"));
      } else {
        const actualCost = this.#unit * (1 + this.#random(9));
        const settled = await this.#ask((limiter) =>
          limiter.settle(limiter === this.#inMemory ? one : other, actualCost),
        );
        this.#grants[index] = settled;
      }
    }
    await this.#look();
    await this.#compareAll();
  }

  async #ask(ask: (limiter: Limiter) => Promise<Decision>): Promise<[inMemory: Decision, onRedis: Decision]> {
    const [one, other] = await Promise.all([ask(this.#inMemory), ask(this.#onRedis)]);
    expect(told(other)).toBe(told(one));
    return [one, other];
  }

  /** Asks when each of many costs could pass: where the grants lie, from the oldest to the newest. */
  async #compareAll(): Promise<void> {
    const { remaining, limit } = await this.#inMemory.peek("user:042");
    const costs = Array.from({ length: 40 }, (_, part) => {
      return Math.min(limit, remaining + 1 + Math.floor(((limit - remaining) / 40) * part));
    });
    await Promise.all(costs.map((cost) => this.#ask((limiter) => limiter.peek("user:042", { cost }))));
  }

  /** Sees that the string is sound, and what has become of it. */
  async #look(): Promise<void> {
    const bytes = await bytesOf(connection, KEY);
    const { slots, base, entries } = readLog(bytes);
    expect(bytes).toHaveLength(HEADER_BYTES + ENTRY_BYTES * slots);
    if (slots > this.#slots) this.seen.grown++;
    if (slots < this.#slots) this.seen.shrunk++;
    if (base > (entries.at(-1)?.total ?? 0)) this.seen.wrapped++;
    this.#slots = slots;
  }
}

/** What a Decision says, but for its receipt, which is each limiter's own. */
function told({ receipt: _receipt, ...rest }: Decision): string {
  return JSON.stringify(rest);
}

/** Whole numbers from 0 to below a bound, the same ones for each seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

function nothing(): never {
  throw new Error("nothing is granted");
}
