import type { Decision, Limiter } from "@sluice/core";
import { expect } from "vitest";
import type { Check, Topic } from "./check.ts";
import { KEY, used } from "./usage.ts";

const MINUTE_MS = 60_000;
/** How far the clocks of one machine may lie apart. */
const CLOCKS_APART_MS = 600_000;

const exactRetry: Check = {
  title: "lets a denied call pass at the very millisecond that it was promised, not one earlier",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    await limiter.consume(KEY, { cost: 7 });
    bench.clock.advance(1_234);
    await limiter.consume(KEY, { cost: 3 });
    const call = { cost: 4 };
    const denied = await limiter.consume(KEY, call);
    expect(denied).toMatchObject({ allowed: false, reason: "limited", taken: 0 });
    bench.clock.advance(denied.retryAfterMs - 1);
    expect(await limiter.consume(KEY, call)).toMatchObject({ allowed: false, retryAfterMs: 1 });
    bench.clock.advance(1);
    expect(await limiter.consume(KEY, call)).toMatchObject({ allowed: true, taken: 4 });
  },
};

const freeDenials: Check = {
  title: "takes nothing for a denied call, a look or a call of cost 0",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    await limiter.consume(KEY, { cost: 8 });
    const before = await limiter.peek(KEY);
    for (let time = 0; time < 3; time++) {
      expect(await limiter.consume(KEY, { cost: 3 })).toMatchObject({ allowed: false, taken: 0 });
      expect(await limiter.consume(KEY, { cost: 11 })).toMatchObject({ allowed: false, reason: "never" });
      expect(await limiter.consume(KEY, { cost: 0 })).toMatchObject({ allowed: true, taken: 0 });
      expect(await limiter.peek(KEY, { cost: 2 })).toMatchObject({ allowed: true, taken: 0 });
    }
    expect(await limiter.peek(KEY)).toEqual(before);
  },
};

const corrections: Check = {
  title: "gives back what a refund names, once, and takes what a settlement says",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    await limiter.consume(KEY, { cost: 2 });
    const decision = await limiter.consume(KEY, { cost: 4 });
    const more = await limiter.settle(decision, 7);
    expect(more).toMatchObject({ taken: 7, remaining: 1 });
    const less = await limiter.settle(more, 5);
    expect(less).toMatchObject({ taken: 5, remaining: 3 });
    // a Decision that was stored or sent in between is the same one
    const copy: Decision = JSON.parse(JSON.stringify(less));
    await limiter.refund(copy);
    await limiter.refund(less);
    expect(await used(limiter)).toBe(2);
  },
};

const debt: Check = {
  title: "keeps a debt, and is whole once that is paid",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    const owing = await limiter.settle(await limiter.consume(KEY), 15);
    expect(owing).toMatchObject({ taken: 15, remaining: 0 });
    expect(await used(bench.limiter(20, MINUTE_MS))).toBe(15);
    expect(await limiter.consume(KEY, { cost: 0 })).toMatchObject({ allowed: false });
    bench.clock.advance(owing.resetAfterMs - 1);
    expect(await limiter.peek(KEY)).toMatchObject({ resetAfterMs: 1 });
    bench.clock.advance(1);
    expect(await limiter.peek(KEY)).toMatchObject({ resetAfterMs: 0, remaining: 10 });
  },
};

const resets: Check = {
  title: "forgets on a reset what a key has used, a debt too",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    await limiter.settle(await limiter.consume(KEY), 25);
    await limiter.reset(KEY);
    expect(await limiter.peek(KEY)).toMatchObject({ remaining: 10, resetAfterMs: 0 });
    expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, remaining: 9 });
    await limiter.reset("a key that was never used");
  },
};

const bounds: Check = {
  title: "tells every grant of one moment another remaining, from the limit down to 0",
  async run(bench) {
    const limiter = bench.limiter(20, MINUTE_MS);
    const decisions = await Promise.all(Array.from({ length: 30 }, () => limiter.consume(KEY)));
    expect(remainingOf(decisions, true)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(remainingOf(decisions, false)).toEqual(Array.from({ length: 10 }, () => 0));
  },
};

const fewerWillDo: Check = {
  title: "takes as many as there are where fewer will do",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    await limiter.consume(KEY, { cost: 7 });
    const call = { cost: 8, atLeast: 2 };
    expect(await limiter.consume(KEY, call)).toMatchObject({ allowed: true, taken: 3, remaining: 0 });
    expect(await limiter.consume(KEY, call)).toMatchObject({ allowed: false, taken: 0 });
  },
};

const reserves: Check = {
  title: "leaves to others what a call must leave behind",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    await limiter.consume(KEY, { cost: 7, reserve: 3 });
    expect(await limiter.peek(KEY, { reserve: 3 })).toMatchObject({ allowed: false, remaining: 3 });
    expect(await limiter.consume(KEY, { reserve: 3 })).toMatchObject({ allowed: false, remaining: 3 });
    expect(await limiter.consume(KEY, { cost: 3 })).toMatchObject({ allowed: true, remaining: 0 });
  },
};

const changedPolicies: Check = {
  title: "keeps what is used when the policy changes",
  async run(bench) {
    const remainingOfLimit = async (limit: number): Promise<number> =>
      (await bench.limiter(limit, MINUTE_MS).peek(KEY)).remaining;
    await bench.limiter(10, MINUTE_MS).consume(KEY, { cost: 4 });
    expect(await remainingOfLimit(15)).toBe(11);
    expect(await remainingOfLimit(5)).toBe(1);
    expect(await bench.limiter(3, MINUTE_MS).consume(KEY)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await remainingOfLimit(10)).toBe(6);
  },
};

const dates: Check = {
  title: "dates its decisions in milliseconds since the epoch: by the clock it was given, or its own",
  async run(bench) {
    const dateBy = async (limiter: Limiter): Promise<number> => (await limiter.consume(KEY)).decidedAtMs;
    const timed = bench.limiter(10, MINUTE_MS);
    expect(await dateBy(timed)).toBe(bench.clock());
    bench.clock.advance(-500);
    expect(await dateBy(timed)).toBe(bench.clock());
    const ownMs = await dateBy(bench.realTimeLimiter(10, MINUTE_MS));
    expect(Math.abs(ownMs - Date.now())).toBeLessThan(CLOCKS_APART_MS);
    expect(Number.isInteger(ownMs)).toBe(true);
  },
};

/** What remained after those decisions that were, or were not, allowed, in order of size. */
function remainingOf(decisions: readonly Decision[], allowed: boolean): number[] {
  const chosen = decisions.filter((decision) => decision.allowed === allowed);
  return chosen.map(({ remaining }) => remaining).sort((one, other) => one - other);
}

/** What a store can break of what the contract promises; the proof of the algorithms goes deeper. */
export const promises: Topic = {
  title: "promises",
  checks: [
    exactRetry,
    freeDenials,
    corrections,
    debt,
    resets,
    bounds,
    fewerWillDo,
    reserves,
    changedPolicies,
    dates,
  ],
};
