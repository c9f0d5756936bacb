import type { Limiter, Store } from "@sluice/core";
import { expect, vi } from "vitest";
import type { Bench } from "./bench.ts";
import type { Check, Topic } from "./check.ts";
import { passThrough } from "./pass-through.ts";
import { KEY, used } from "./usage.ts";

const MINUTE_MS = 60_000;
const NOT_UNITS: readonly unknown[] = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null];
const NOT_KEYS: readonly unknown[] = ["", [], ["a", ""], 7, undefined, "x".repeat(16_385), "{".repeat(5_462)];

const costs: Check = {
  title: "refuses what is no number of units before the store is touched",
  async run(bench) {
    const { limiter, touched } = watched(bench);
    const decision = await limiter.consume(KEY, { cost: 4 });
    const before = touched.length;
    const refused = { code: "ERR_SLUICE_INVALID_COST" };
    for (const value of NOT_UNITS) {
      for (const options of [{ cost: value }, { atLeast: value }, { reserve: value }]) {
        await expect(untyped(limiter, "consume", KEY, options)).rejects.toMatchObject(refused);
      }
      await expect(untyped(limiter, "peek", KEY, { cost: value })).rejects.toMatchObject(refused);
      await expect(untyped(limiter, "settle", decision, value)).rejects.toMatchObject(refused);
    }
    expect(touched).toHaveLength(before);
    expect(await used(limiter)).toBe(4);
  },
};

const keys: Check = {
  title: "refuses what is no key before the store is touched",
  async run(bench) {
    const { limiter, touched } = watched(bench);
    for (const key of NOT_KEYS) {
      for (const method of ["consume", "peek", "reset"] as const) {
        const refused = { code: "ERR_SLUICE_INVALID_KEY" };
        await expect(untyped(limiter, method, key)).rejects.toMatchObject(refused);
      }
    }
    expect(touched).toEqual([]);
  },
};

const strangers: Check = {
  title: "refuses a Decision of another limiter, and gives nothing back",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    const other = bench.limiter(10, MINUTE_MS, { name: "other" });
    await limiter.consume(KEY, { cost: 4 });
    const decision = await other.consume(KEY, { cost: 4 });
    const refused = { code: "ERR_SLUICE_INVALID_KEY" };
    await expect(limiter.refund(decision)).rejects.toMatchObject(refused);
    await expect(limiter.settle(decision, 1)).rejects.toMatchObject(refused);
    expect([await used(limiter), await used(other)]).toEqual([4, 4]);
  },
};

const abortedBefore: Check = {
  title: "rejects at once, with its own reason, for a signal that is aborted before the store is touched",
  async run(bench) {
    const { limiter, touched } = watched(bench);
    const reason = { why: "the caller has left" };
    const signal = AbortSignal.abort(reason);
    await expect(limiter.consume(KEY, { signal })).rejects.toBe(reason);
    await expect(limiter.peek(KEY, { signal })).rejects.toBe(reason);
    expect(touched).toEqual([]);
  },
};

const abortedUnderWay: Check = {
  title: "gives back what was granted to a caller who left while the servers were asked",
  ofConnections: "for one",
  needs: "servers",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    // so that the servers have the script: else the call ends when they say that they lack it
    await limiter.peek(KEY);
    const leaving = new AbortController();
    const call = limiter.consume(KEY, { cost: 4, signal: leaving.signal });
    // one turn of the event loop, in which it is sent
    await new Promise(setImmediate);
    leaving.abort("left");
    await expect(call).rejects.toBe("left");
    // asked after it, on the same connection or another
    await vi.waitFor(async () => expect(await used(limiter)).toBe(0), { timeout: 2_000, interval: 5 });
  },
};

/** A limiter, and what it has asked of its store so far. */
function watched(bench: Bench): { limiter: Limiter; touched: readonly string[] } {
  const touched: string[] = [];
  const store = bench.open(bench.prefix, bench.clock);
  const watching: Store = {
    ...passThrough(store),
    decide(limit, key, ask) {
      touched.push("decide");
      return store.decide(limit, key, ask);
    },
    adjust(limit, key, change) {
      touched.push("adjust");
      return store.adjust(limit, key, change);
    },
    forget(limit, key, keepBlock) {
      touched.push("forget");
      return store.forget(limit, key, keepBlock);
    },
  };
  return { touched, limiter: bench.limiter(10, MINUTE_MS, { store: watching }) };
}

/** A call as untyped code may make it. */
function untyped(
  limiter: Limiter,
  method: "consume" | "peek" | "settle" | "reset",
  ...args: unknown[]
): Promise<unknown> {
  return Reflect.apply(limiter[method], limiter, args);
}

/** What is wrong is refused before a store is touched. */
export const refusals: Topic = {
  title: "refusals",
  checks: [costs, keys, strangers, abortedBefore, abortedUnderWay],
};
