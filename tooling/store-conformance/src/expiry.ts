import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import type { Check, Topic } from "./check.ts";
import { KEY, LONG_MS } from "./usage.ts";

const SHORT_MS = 50;
/** A timer fires a moment early, and the clock of a server may be a moment behind. */
const TIMER_SLACK_MS = 20;
/** A TTL within a second of what it should be is right. */
const TTL_SLACK_MS = 1_000;
/** A short window's key is due to be gone long before. */
const GONE_WITHIN_MS = 5_000;

const timesOfLife: Check = {
  title: "gives its key a TTL as long as it matters, and at most twice that and a second",
  ofConnections: "for one",
  needs: "servers",
  async run(bench) {
    const limiter = bench.realTimeLimiter(10, LONG_MS);
    const fits = async (): Promise<void> => {
      const { server, key } = await bench.onlyKey();
      const ttlMs = Number(await server.command("PTTL", key));
      const { resetAfterMs } = await limiter.peek(KEY);
      expect(ttlMs).toBeGreaterThanOrEqual(resetAfterMs - TTL_SLACK_MS);
      expect(ttlMs).toBeLessThanOrEqual(2 * resetAfterMs + 1_000 + TTL_SLACK_MS);
    };
    const decision = await limiter.consume(KEY, { cost: 3 });
    await fits();
    const settled = await limiter.settle(decision, 9);
    await fits();
    await limiter.settle(settled, 2);
    await fits();
    await limiter.consume(KEY, { cost: 4 });
    await fits();
  },
};

const repairs: Check = {
  title: "gives a key that has lost its TTL another one by the next call, allowed or denied",
  needs: "servers",
  async run(bench) {
    const limiter = bench.realTimeLimiter(10, LONG_MS);
    for (const cost of [9, 2]) {
      await limiter.consume(KEY);
      const { server, key } = await bench.onlyKey();
      await server.command("PERSIST", key);
      await limiter.consume(KEY, { cost });
      expect(Number(await server.command("PTTL", key))).toBeGreaterThan(0);
    }
  },
};

const nothingLeft: Check = {
  title: "leaves no key behind of what was given back",
  ofConnections: "for one",
  needs: "servers",
  async run(bench) {
    const limiter = bench.realTimeLimiter(10, LONG_MS);
    const decision = await limiter.consume(KEY, { cost: 3 });
    expect(await bench.storedKeys()).toHaveLength(1);
    await limiter.refund(decision);
    expect(await bench.storedKeys()).toEqual([]);
  },
};

const vanishes: Check = {
  title: "lets its keys vanish by themselves, and has the whole limit then",
  needs: "servers",
  async run(bench) {
    const limiter = bench.realTimeLimiter(10, SHORT_MS);
    await Promise.all(["a", "b", "c"].map((key) => limiter.consume(key, { cost: 10 })));
    for (const { server, key } of await bench.storedKeys()) {
      expect(Number(await server.command("PTTL", key))).not.toBe(-1);
    }
    const gone = async () => expect(await bench.storedKeys()).toEqual([]);
    await vi.waitFor(gone, { timeout: GONE_WITHIN_MS });
    expect(await limiter.consume("a", { cost: 10 })).toMatchObject({ allowed: true });
  },
};

const wholeAgain: Check = {
  title: "has the whole limit again after as long as it said",
  async run(bench) {
    const limiter = bench.realTimeLimiter(10, SHORT_MS);
    const { resetAfterMs } = await limiter.consume(KEY, { cost: 10 });
    await sleep(resetAfterMs + TIMER_SLACK_MS);
    expect(await limiter.peek(KEY)).toMatchObject({ remaining: 10, resetAfterMs: 0 });
    expect(await limiter.consume(KEY, { cost: 10 })).toMatchObject({ allowed: true });
  },
};

const passesAfterwards: Check = {
  title: "lets a denied call pass after as long as it said",
  async run(bench) {
    const limiter = bench.realTimeLimiter(2, 4 * SHORT_MS);
    const exhausted = async () => {
      await limiter.consume(KEY, { cost: 2, atLeast: 0 });
      return limiter.consume(KEY, { cost: 2 });
    };
    // on a slow machine it may be whole again between the two calls
    const denied = await vi.waitUntil(async () => {
      const decision = await exhausted();
      return decision.allowed ? undefined : decision;
    });
    await sleep(denied.retryAfterMs + TIMER_SLACK_MS);
    expect(await limiter.consume(KEY, { cost: 2 })).toMatchObject({ allowed: true });
  },
};

/** What the store writes goes by itself, and not too early; in real time. */
export const expiry: Topic = {
  title: "expiry",
  waits: true,
  checks: [timesOfLife, repairs, nothingLeft, vanishes, wholeAgain, passesAfterwards],
};
