import { memoryStore, type Store } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InvalidPolicyError } from "../src/errors.js";
import { keyedTally } from "./keyed-tally.js";
import { tally } from "./tiny-algorithm.js";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

const NEVER = Number.POSITIVE_INFINITY;

function setUp(denyCache: { maxMs?: number; maxKeys?: number } = { maxMs: 60_000 }) {
  const clock = manualClock(1_000_000);
  const store = memoryStore({ clock });
  const asked = vi.spyOn(store, "decide");
  const limiter = tally({ name: "api", limit: 5, window: 10_000, store, denyCache });
  /** The store's clock and this process's. */
  const pass = (ms: number): void => {
    clock.advance(ms);
    vi.advanceTimersByTime(ms);
  };
  return { store, clock, asked, limiter, pass };
}

describe("a key that was denied", () => {
  it("is denied again without the store, as the store would deny it", async () => {
    const { limiter, asked, pass } = setUp();
    const plain = tally({ name: "api", limit: 5, window: 10_000, store: setUp().store });
    await limiter.consume("a", { cost: 5 });
    const first = await limiter.consume("a");
    pass(4_000);
    asked.mockClear();
    const again = await limiter.consume("a");
    expect(asked).not.toHaveBeenCalled();
    expect(again).toEqual({
      ...first,
      retryAfterMs: 6_000,
      resetAfterMs: 6_000,
      decidedAtMs: first.decidedAtMs + 4_000,
      source: "deny-cache",
    });
    expect(plain.policy).toEqual(limiter.policy);
  });

  it("is allowed at the promised time, and not denied a millisecond longer", async () => {
    const { limiter, pass } = setUp();
    await limiter.consume("a", { cost: 5 });
    const { retryAfterMs } = await limiter.consume("a");
    pass(retryAfterMs - 1);
    expect(await limiter.consume("a")).toMatchObject({
      allowed: false,
      retryAfterMs: 1,
      source: "deny-cache",
    });
    pass(1);
    expect(await limiter.consume("a")).toMatchObject({ allowed: true, source: "store" });
  });

  it("promises no less than the store does when its answer took a while, and ends no later", async () => {
    const { limiter, store, clock, pass } = setUp();
    await limiter.consume("a", { cost: 5 });
    const decide = store.decide.bind(store);
    vi.spyOn(store, "decide").mockImplementationOnce((...call) => {
      // on its way for so long
      clock.advance(900);
      vi.advanceTimersByTime(900);
      return decide(...call);
    });
    expect(await limiter.consume("a")).toMatchObject({ allowed: false, retryAfterMs: 9_100 });
    pass(100);
    expect(await limiter.consume("a")).toMatchObject({ source: "deny-cache", retryAfterMs: 9_000 });
    expect((await limiter.peek("a")).retryAfterMs).toBe(9_000);
    pass(9_000 - 900);
    expect(await limiter.consume("a")).toMatchObject({ allowed: false, source: "store", retryAfterMs: 900 });
  });

  it("is asked for again after maxMs", async () => {
    const { limiter, asked, pass } = setUp({ maxMs: 500 });
    await limiter.consume("a", { cost: 5 });
    await limiter.consume("a");
    pass(499);
    expect(await limiter.consume("a")).toMatchObject({ source: "deny-cache" });
    pass(1);
    asked.mockClear();
    expect(await limiter.consume("a")).toMatchObject({ allowed: false, source: "store" });
    expect(asked).toHaveBeenCalledOnce();
  });

  it("is asked for again for a call that wants less, and denied for one that wants more", async () => {
    const { limiter } = setUp();
    await limiter.consume("a", { cost: 3 });
    await limiter.consume("a", { cost: 2, reserve: 1 });
    expect(await limiter.consume("a", { cost: 4 })).toMatchObject({
      allowed: false,
      source: "deny-cache",
      cost: 4,
      retryAfterMs: 10_000,
    });
    expect(await limiter.consume("a", { cost: 9 })).toMatchObject({
      reason: "never",
      retryAfterMs: NEVER,
      source: "deny-cache",
    });
    expect(await limiter.consume("a", { cost: 2 })).toMatchObject({ allowed: true, source: "store" });
  });

  it("is told as the store would tell it where it can never pass", async () => {
    const { limiter } = setUp();
    const never = { allowed: false, reason: "never", retryAfterMs: NEVER };
    expect(await limiter.consume("a", { cost: 6 })).toMatchObject({ ...never, source: "store" });
    expect(await limiter.consume("a", { cost: 6 })).toMatchObject({ ...never, source: "deny-cache" });
    expect(await limiter.consume("a", { cost: 5 })).toMatchObject({ allowed: true });
  });

  it("is looked at in the store", async () => {
    const { limiter } = setUp();
    await limiter.consume("a", { cost: 5 });
    await limiter.consume("a");
    expect(await limiter.peek("a")).toMatchObject({ allowed: false, source: "store" });
  });
});

describe("what this process does for a key", () => {
  it("is heeded at once: refund, settle, reset", async () => {
    const { limiter } = setUp();
    const held = await limiter.consume("a", { cost: 5 });
    await limiter.consume("a");
    const less = await limiter.settle(held, 4);
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
    await limiter.consume("a");
    await limiter.refund(less);
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
    await limiter.consume("a", { cost: 4 });
    await limiter.reset("a");
    expect(await limiter.consume("a", { cost: 4 })).toMatchObject({ allowed: true });
  });

  it("is heeded at once, whichever limiter of the name does it", async () => {
    const { limiter, store } = setUp();
    await limiter.consume("a", { cost: 5 });
    await limiter.consume("a");
    await tally({ name: "api", limit: 5, window: 10_000, store }).reset("a");
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
  });

  it("is heeded at once: policies and blocks", async () => {
    const { store } = setUp();
    const denyCache = { maxMs: 60_000 };
    const common = { name: "keyed", limit: 1, window: 10_000, store, denyCache };
    const limiter = keyedTally({ ...common, perKey: true, blockFor: "by-hand" });
    await limiter.consume("a");
    await limiter.consume("a");
    await limiter.setLimit("a", { limit: 2, window: 10_000 });
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
    await limiter.block("a", "1m");
    expect(await limiter.consume("a")).toMatchObject({ reason: "blocked", source: "store" });
    expect(await limiter.consume("a")).toMatchObject({ reason: "blocked", source: "deny-cache" });
    await limiter.unblock("a");
    expect(await limiter.consume("a")).toMatchObject({ reason: "limited", source: "store" });
  });

  it("leaves the denials of another plan to that plan", async () => {
    const { limiter } = setUp();
    await limiter.consume("a", { cost: 5 });
    await limiter.consume("a");
    expect(await limiter.with({ limit: 9 }).consume("a")).toMatchObject({ allowed: true, limit: 9 });
  });
});

it("a key that is blocked by its denial is told so from the next call on", async () => {
  const { store } = setUp();
  const limiter = tally({ name: "log-in", limit: 1, window: 1_000, blockFor: "1m", store, denyCache: {} });
  await limiter.consume("a");
  const told = [];
  for (let i = 0; i < 3; i++) told.push(await limiter.consume("a"));
  expect(told.map(({ reason, source }) => [reason, source])).toEqual([
    ["limited", "store"],
    ["blocked", "store"],
    ["blocked", "deny-cache"],
  ]);
});

it("no more denials are remembered than maxKeys, the newest of them", async () => {
  const { limiter, asked } = setUp({ maxMs: 60_000, maxKeys: 2 });
  for (const key of ["a", "b", "c"]) {
    await limiter.consume(key, { cost: 5 });
    await limiter.consume(key);
  }
  asked.mockClear();
  for (const key of ["b", "c", "a"]) await limiter.consume(key);
  expect(asked.mock.calls.map(([, key]) => key)).toEqual(["a"]);
});

it.each([true, 5, { maxMs: 0 }, { maxKeys: 0.5 }, { maxMS: 5 }])(
  "%j is refused for a denyCache",
  (denyCache) => {
    const store: Store = memoryStore();
    // @ts-expect-error a caller without types
    expect(() => tally({ name: "api", limit: 1, window: 1, store, denyCache })).toThrow(InvalidPolicyError);
  },
);
