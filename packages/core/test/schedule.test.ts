import { memoryStore } from "@sluice/core";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { compose } from "../src/compose.js";
import { NeverAllowedError, WaitTimeoutError } from "../src/errors.js";
import { schedule } from "../src/schedule.js";
import { wrap } from "../src/wrap.js";
import { tally } from "./tiny-algorithm.js";

function limiterOf(limit: number) {
  return tally({ name: "api", limit, window: "1h", store: memoryStore() });
}

const fails = async (): Promise<never> => {
  throw new Error("the other side");
};

describe("a scheduled function", () => {
  it("runs once it is granted, is told the decision, and returns its result", async () => {
    const limiter = limiterOf(5);
    const result = await schedule(limiter, "a", async ({ remaining }) => remaining, { cost: 2 });
    expect(result).toBe(3);
    expectTypeOf(schedule(limiter, "a", () => "text")).resolves.toBeString();
  });

  it("does not run where it is not granted", async () => {
    const fn = vi.fn();
    await expect(schedule(limiterOf(1), "a", fn, { cost: 2 })).rejects.toThrow(NeverAllowedError);
    expect(fn).not.toHaveBeenCalled();
  });

  it("throws what it throws", async () => {
    const error = new Error("mine");
    await expect(schedule(limiterOf(1), "a", () => Promise.reject(error))).rejects.toBe(error);
    const thrown = schedule(limiterOf(1), "a", () => {
      throw error;
    });
    await expect(thrown).rejects.toBe(error);
  });

  it("keeps its units, unless refundOn says otherwise of what it returned or threw", async () => {
    const limiter = limiterOf(5);
    await schedule(limiter, "a", fails).catch(vi.fn());
    expect(await limiter.peek("a")).toMatchObject({ remaining: 4 });
    const refundOn = vi.fn((outcome: unknown, hasThrown: boolean) => hasThrown || outcome === "busy");
    await schedule(limiter, "a", fails, { refundOn }).catch(vi.fn());
    await schedule(limiter, "a", () => "busy", { refundOn });
    expect(await limiter.peek("a")).toMatchObject({ remaining: 4 });
    await schedule(limiter, "a", () => "done", { refundOn });
    expect(await limiter.peek("a")).toMatchObject({ remaining: 3 });
    expect(refundOn.mock.calls).toEqual([
      [new Error("the other side"), true],
      ["busy", false],
      ["done", false],
    ]);
  });

  it("throws its own error though the refund fails", async () => {
    const limiter = limiterOf(5);
    vi.spyOn(limiter, "refund").mockRejectedValue(new Error("refund"));
    await expect(schedule(limiter, "a", fails, { refundOn: () => true })).rejects.toThrow("the other side");
    const broken = (): never => {
      throw new Error("refundOn");
    };
    await expect(schedule(limiter, "a", fails, { refundOn: broken })).rejects.toThrow("the other side");
    await expect(schedule(limiter, "a", () => 1, { refundOn: broken })).rejects.toThrow("refundOn");
  });

  it("waits for several limits at once", async () => {
    const store = memoryStore();
    const requests = tally({ name: "requests", limit: 9, window: "1h", store });
    const tokens = tally({ name: "tokens", limit: 900, window: "1h", store });
    const both = compose([requests, tokens]);
    const cost = { requests: 1, tokens: 500 };
    await schedule(both, "llm", (decision) => both.settle(decision, { requests: 1, tokens: 120 }), { cost });
    expect(await both.peek("llm")).toMatchObject({
      limits: { requests: { remaining: 8 }, tokens: { remaining: 780 } },
    });
    await expect(
      schedule(both, "llm", () => 1, { cost: { requests: 1, tokens: 800 }, maxWaitMs: 5 }),
    ).rejects.toThrow(WaitTimeoutError);
  });
});

describe("a wrapped function", () => {
  it("takes its arguments, and tells key, cost and signal from them", async () => {
    const limiter = limiterOf(5);
    const add = wrap(limiter, (one: number, other: number) => one + other, {
      key: (one) => `key-${one}`,
      cost: (_one, other) => other,
      signal: () => undefined,
    });
    expect(await add(1, 3)).toBe(4);
    expect(await limiter.peek("key-1")).toMatchObject({ remaining: 2 });
    expectTypeOf(add).parameters.toEqualTypeOf<[number, number]>();
  });

  it("keeps its this", async () => {
    const counter = {
      count: 1,
      next: wrap(
        limiterOf(5),
        async function (this: { count: number }) {
          return this.count++;
        },
        { key: "a" },
      ),
    };
    await counter.next();
    expect(counter.count).toBe(2);
  });

  it("waits no longer than it may, and gives back as it is told", async () => {
    const limiter = limiterOf(1);
    const call = wrap(limiter, fails, { key: ["a", "b"], maxWaitMs: 5, refundOn: () => true });
    await expect(call()).rejects.toThrow("the other side");
    await limiter.consume(["a", "b"]);
    await expect(call()).rejects.toThrow(WaitTimeoutError);
  });

  it("waits for several limits at once", async () => {
    const store = memoryStore();
    const both = compose([
      tally({ name: "one", limit: 9, window: "1h", store }),
      tally({ name: "two", limit: 9, window: "1h", store }),
    ]);
    const call = wrap(both, (cost: number) => cost, {
      key: (cost) => ({ one: "a", two: `b-${cost}` }),
      cost: (two) => ({ one: 1, two }),
    });
    await call(4);
    expect(await both.peek({ one: "a", two: "b-4" })).toMatchObject({
      limits: { one: { remaining: 8 }, two: { remaining: 5 } },
    });
  });
});
