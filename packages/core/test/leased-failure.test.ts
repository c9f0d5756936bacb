import { setTimeout as sleep } from "node:timers/promises";
import { leased, memoryStore } from "@sluice/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { StoreError, StoreTimeoutError } from "../src/errors.js";
import type { CommonOptions, LimiterEvent } from "../src/limiter.js";
import type { RedisConnection } from "../src/redis-connection.js";
import { redisStore } from "../src/redis-store.js";
import type { Store } from "../src/store.js";
import { failingStore, LOST, READ_ONLY } from "./failing-store.js";
import { useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const { connection } = await useRedis();

afterEach(() => vi.useRealTimers());

function setUp(options: Partial<CommonOptions> = {}) {
  const failing = failingStore(connection, { breaker: false });
  const shared = tally({ name: "api", limit: 100, window: "1m", store: failing.store, ...options });
  return { ...failing, shared, limiter: leased(shared, { size: 10, maxHoldMs: 60_000 }) };
}

describe("while the store fails", () => {
  it("what is held is granted all the same", async () => {
    const { limiter, failWith } = setUp();
    await limiter.consume("a");
    failWith(LOST);
    expect(await limiter.consume("a", { cost: 9 })).toMatchObject({ allowed: true, source: "lease" });
  });

  it("all who wait for a portion hear of it, and whether it may have counted", async () => {
    const { limiter, failWith } = setUp();
    for (const [message, mayHaveCounted] of [
      [LOST, true],
      [READ_ONLY, false],
    ] as const) {
      failWith(message);
      const told = await Promise.allSettled([limiter.consume("a"), limiter.consume("a")]);
      for (const result of told) {
        expect(result).toMatchObject({
          status: "rejected",
          reason: { code: "ERR_SLUICE_STORE", mayHaveCounted },
        });
      }
    }
    failWith(undefined);
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
  });

  it.each([
    ["allow", { allowed: true, source: "failure-policy", taken: 0, cost: 3 }],
    ["deny", { allowed: false, source: "failure-policy", reason: "unavailable", cost: 3 }],
  ] as const)("the policy %s answers for each", async (onStoreFailure, answer) => {
    const { limiter, failWith } = setUp({ onStoreFailure });
    failWith(LOST);
    const answers = await Promise.all([limiter.consume("a", { cost: 3 }), limiter.consume("a", { cost: 3 })]);
    expect(answers).toEqual([expect.objectContaining(answer), expect.objectContaining(answer)]);
  });

  it("a fallback is asked for what each caller asks for, and takes its refunds", async () => {
    const fallback = tally({ name: "local", limit: 50, window: "1m", store: memoryStore() });
    const { limiter, failWith } = setUp({ onStoreFailure: fallback });
    failWith(LOST);
    const decision = await limiter.consume("a", { cost: 3 });
    expect(decision).toMatchObject({ allowed: true, taken: 3, source: "fallback" });
    expect((await fallback.peek("a")).remaining).toBe(47);
    await limiter.refund(decision);
    expect((await fallback.peek("a")).remaining).toBe(50);
  });

  it("an observer is told of the failure by each caller it met, and of what answered", async () => {
    const observe = vi.fn<(event: LimiterEvent) => void>();
    const { limiter, failWith } = setUp({ onStoreFailure: "allow", observe });
    failWith(LOST);
    await limiter.consume("a");
    expect(observe.mock.calls.map(([event]) => event.type)).toEqual(["store-failure", "decision"]);
  });

  it("close ends, and what could not be given back is lost until the window ends", async () => {
    const { limiter, shared, failWith } = setUp();
    await limiter.consume("a");
    failWith(LOST);
    await limiter.close();
    failWith(undefined);
    expect((await shared.peek("a")).remaining).toBe(90);
  });
});

describe("a server that lacks scripts", () => {
  it("hears of what goes back before it is asked for more", async () => {
    const store = redisStore(connection);
    const limiter = leased(tally({ name: "api", limit: 10, window: "1h", store }), { size: 8 });
    await connection.send("SCRIPT", ["FLUSH"]);
    await limiter.consume("a", { cost: 2 });
    expect(await limiter.consume("a", { cost: 7 })).toMatchObject({ allowed: true, taken: 7 });
    await connection.send("SCRIPT", ["FLUSH"]);
    await limiter.consume("b", { cost: 2 });
    expect(await limiter.peek("b", { cost: 7 })).toMatchObject({ allowed: true, remaining: 8 });
  });

  it("forgets what was on its way when a key was reset", async () => {
    const store = redisStore(connection);
    const shared = tally({ name: "api", limit: 10, window: "1h", store });
    const limiter = leased(shared, { size: 10 });
    await connection.send("SCRIPT", ["FLUSH"]);
    await shared.reset("other");
    await Promise.all([limiter.consume("a"), limiter.reset("a")]);
    expect((await shared.peek("a")).remaining).toBe(10);
  });
});

/** A store whose answers take so long. */
function slowStore(delayMs: number, timeoutMs: number): Store {
  const send: RedisConnection["send"] = async (command, args) => {
    const reply = await connection.send(command, args);
    await sleep(delayMs);
    return reply;
  };
  return redisStore({ send }, { timeoutMs });
}

describe("a store that does not answer", () => {
  it("keeps nobody waiting for longer than its timeout, whoever goes before", async () => {
    const shared = tally({ name: "api", limit: 100, window: "1m", store: slowStore(10_000, 200) });
    const limiter = leased(shared, { size: 10 });
    const startMs = performance.now();
    const told = [limiter.consume("a"), sleep(100).then(() => limiter.consume("a"))];
    expect(await Promise.allSettled(told)).toEqual([
      { status: "rejected", reason: expect.any(StoreTimeoutError) },
      { status: "rejected", reason: expect.any(StoreTimeoutError) },
    ]);
    // both at once would have been 400 ms
    expect(performance.now() - startMs).toBeLessThan(390);
  });

  it("is waited for no longer than its timeout, and what it grants too late goes back", async () => {
    let delayMs = 0;
    const slow: RedisConnection = {
      send: async (command, args) => {
        const reply = await connection.send(command, args);
        await sleep(delayMs);
        return reply;
      },
    };
    const store = redisStore(slow, { timeoutMs: 100 });
    const shared = tally({ name: "api", limit: 100, window: "1m", store });
    const limiter = leased(shared, { size: 10 });
    delayMs = 200;
    await expect(limiter.consume("a")).rejects.toThrow(StoreTimeoutError);
    delayMs = 0;
    await expect.poll(async () => (await shared.peek("a")).remaining).toBe(100);
    await expect(limiter.consume("a")).resolves.toMatchObject({ allowed: true });
  });

  it("is a fault, not a denial", async () => {
    const { limiter, failWith } = setUp();
    failWith(LOST);
    await expect(limiter.acquire("a", { maxWaitMs: 500 })).rejects.toThrow(StoreError);
  });
});
