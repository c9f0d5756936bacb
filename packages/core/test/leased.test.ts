import { fileURLToPath } from "node:url";
import { type LeaseOptions, leased, memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { runAlone } from "@sluice/run-alone";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compose } from "../src/compose.js";
import { InvalidCostError, InvalidKeyError, InvalidPolicyError, NeverAllowedError } from "../src/errors.js";
import type { CommonOptions, LimiterEvent } from "../src/limiter.js";
import { tally } from "./tiny-algorithm.js";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

const PROGRAMS = fileURLToPath(new URL("programs.ts", import.meta.url));
const WINDOW_MS = 10_000;

function setUp(options: LeaseOptions = { size: 10 }, more: { limit?: number } & Partial<CommonOptions> = {}) {
  const clock = manualClock(1_000_000);
  const store = memoryStore({ clock });
  const { limit = 100, ...rest } = more;
  const shared = tally({ name: "api", limit, window: WINDOW_MS, store, ...rest });
  const limiter = leased(shared, options);
  const asked = vi.spyOn(store, "decide");
  /** The store's clock and this process's. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  const remaining = async (key = "a"): Promise<number> => (await shared.peek(key)).remaining;
  return { store, shared, limiter, asked, pass, remaining };
}

describe("a portion", () => {
  it("is taken from the store by the first call, and the calls after it are granted from it", async () => {
    const { limiter, asked, remaining } = setUp();
    const first = await limiter.consume("a");
    expect(asked).toHaveBeenCalledOnce();
    const others = await Promise.all(Array.from({ length: 9 }, () => limiter.consume("a")));
    expect(asked).toHaveBeenCalledOnce();
    expect([first, ...others].map((decision) => decision.remaining)).toEqual([
      99, 98, 97, 96, 95, 94, 93, 92, 91, 90,
    ]);
    expect(first).toEqual({
      allowed: true,
      limit: 100,
      windowMs: WINDOW_MS,
      remaining: 99,
      retryAfterMs: 0,
      resetAfterMs: WINDOW_MS,
      delayMs: 0,
      cost: 1,
      taken: 1,
      name: "api",
      key: "a",
      decidedAtMs: 1_000_000,
      reason: "allowed",
      source: "lease",
      receipt: expect.stringMatching(/./),
    });
    expect(await remaining()).toBe(90);
  });

  it("is taken anew when it is used up", async () => {
    const { limiter, remaining } = setUp();
    for (let call = 0; call < 11; call++) await limiter.consume("a");
    expect(await remaining()).toBe(80);
  });

  it("is each key's own, and an array of parts is a key as elsewhere", async () => {
    const { limiter, remaining, shared } = setUp();
    const parts = ["a", "b"];
    const decision = await limiter.consume(parts);
    parts[0] = "changed";
    await limiter.consume(["a", "b"], { cost: 10 });
    await limiter.consume("other");
    expect(decision.key).toBe("a|b");
    expect((await shared.peek(["a", "b"])).remaining).toBe(89);
    expect(await remaining("other")).toBe(90);
  });

  it("serves as many as wait for it, in order: as many whole portions as they need", async () => {
    const { limiter, asked, remaining } = setUp();
    const decisions = await Promise.all(Array.from({ length: 23 }, () => limiter.consume("a")));
    expect(asked.mock.calls.map(([, , { cost }]) => cost)).toEqual([30]);
    expect(decisions.map((decision) => decision.remaining)).toEqual(
      Array.from({ length: 23 }, (_, i) => 99 - i),
    );
    expect(await remaining()).toBe(70);
  });

  it("grants what its limit has, where that is less than a portion", async () => {
    const { limiter } = setUp({ size: 10 }, { limit: 12 });
    await limiter.consume("a", { cost: 10 });
    expect(await limiter.consume("a")).toMatchObject({ allowed: true, remaining: 1, source: "lease" });
    expect(await limiter.consume("a")).toMatchObject({ allowed: true, remaining: 0, source: "lease" });
    expect(await limiter.consume("a")).toMatchObject({
      allowed: false,
      remaining: 0,
      retryAfterMs: WINDOW_MS,
      taken: 0,
      source: "store",
    });
  });

  it("goes back before a call that needs more than is left of it", async () => {
    const { limiter, remaining } = setUp({ size: 10 }, { limit: 12 });
    await limiter.consume("a", { cost: 4 });
    expect(await limiter.consume("a", { cost: 8 })).toMatchObject({ allowed: true, taken: 8, remaining: 0 });
    expect(await remaining()).toBe(0);
  });

  it("is not used beyond the window that it was charged in", async () => {
    const { limiter, asked, pass } = setUp({ size: 10, maxHoldMs: 60_000 });
    await limiter.consume("a");
    await pass(WINDOW_MS - 1);
    await limiter.consume("a");
    expect(asked).toHaveBeenCalledOnce();
    await pass(1);
    expect(await limiter.consume("a")).toMatchObject({ remaining: 99 });
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("tells the time of its store, and what is left of it", async () => {
    const { limiter, pass } = setUp();
    await limiter.consume("a");
    await pass(300);
    expect(await limiter.consume("a")).toMatchObject({ decidedAtMs: 1_000_300, resetAfterMs: 9_700 });
  });
});

describe("what is not used goes back", () => {
  it("half of maxHoldMs after the last call", async () => {
    const { limiter, pass, remaining } = setUp({ size: 10, maxHoldMs: 1_000 });
    await limiter.consume("a");
    await pass(400);
    await limiter.consume("a");
    await pass(499);
    expect(await remaining()).toBe(90);
    await pass(1);
    expect(await remaining()).toBe(98);
  });

  it("at maxHoldMs, however often the key is called", async () => {
    const { limiter, pass, remaining } = setUp({ size: 100, maxHoldMs: 1_000 });
    for (let call = 0; call < 10; call++) {
      await limiter.consume("a");
      await pass(99);
    }
    await pass(9);
    expect(await remaining()).toBe(0);
    await pass(1);
    expect(await remaining()).toBe(90);
  });

  it("when it is closed, and from then on the store decides", async () => {
    const { limiter, remaining } = setUp();
    await limiter.consume("a");
    await limiter.consume("b", { cost: 3 });
    await limiter.close();
    expect([await remaining("a"), await remaining("b")]).toEqual([99, 97]);
    expect(await limiter.consume("a")).toMatchObject({ source: "store", remaining: 98 });
    await limiter.close();
    expect(await remaining()).toBe(98);
  });

  it("when it is closed while somebody waits for it", async () => {
    const { limiter, remaining } = setUp();
    const waiting = [limiter.consume("a"), limiter.consume("a")];
    await limiter.close();
    expect((await Promise.all(waiting)).map(({ allowed }) => allowed)).toEqual([true, true]);
    expect(await remaining()).toBe(98);
  });

  it("once only, and leaves no timer and no key behind", async () => {
    const { limiter, store, pass } = setUp({ size: 10, maxHoldMs: 1_000 });
    const corrected = vi.spyOn(store, "adjust");
    await limiter.consume("a");
    await pass(5_000);
    expect(corrected).toHaveBeenCalledOnce();
    await pass(10_000);
    expect(store.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("a lease keeps no process alive", async () => {
  vi.useRealTimers();
  const { code, stdout, stderr } = await runAlone(PROGRAMS, "hold a lease");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(Number(stdout)).toBeLessThan(1_000);
});

describe("a call", () => {
  it("of cost 0 takes no portion", async () => {
    const { limiter, remaining } = setUp();
    expect(await limiter.consume("a", { cost: 0 })).toMatchObject({
      allowed: true,
      taken: 0,
      source: "store",
    });
    expect(await remaining()).toBe(100);
  });

  it("that can never pass takes no portion, and gives none back", async () => {
    const { limiter, remaining } = setUp();
    await limiter.consume("a");
    expect(await limiter.consume("a", { cost: 101 })).toMatchObject({ allowed: false, reason: "never" });
    await expect(limiter.acquire("a", { cost: 101 })).rejects.toThrow(NeverAllowedError);
    expect(await remaining()).toBe(90);
  });

  it("with atLeast takes what there is", async () => {
    const { limiter } = setUp({ size: 10 }, { limit: 12 });
    await limiter.consume("a", { cost: 5 });
    expect(await limiter.consume("a", { cost: 20, atLeast: 2 })).toMatchObject({ taken: 7, cost: 20 });
    expect(await limiter.consume("a", { cost: 20, atLeast: 0 })).toMatchObject({
      allowed: true,
      taken: 0,
      receipt: "",
    });
  });

  it("leaves behind what it must, as the store stood when it charged the portion", async () => {
    const { limiter, asked } = setUp({ size: 10 }, { limit: 20 });
    await limiter.consume("a");
    expect(await limiter.consume("a", { reserve: 10 })).toMatchObject({ allowed: true, source: "lease" });
    expect(asked).toHaveBeenCalledOnce();
    expect(await limiter.consume("a", { reserve: 18 })).toMatchObject({ allowed: false });
    expect(await limiter.consume("a", { reserve: 17 })).toMatchObject({ allowed: true });
  });

  it("whose signal is aborted rejects with its reason and leaves the rest in place", async () => {
    const { limiter, remaining } = setUp();
    const gone = new AbortController();
    await limiter.consume("a", { cost: 10 });
    const waiting = limiter.consume("a", { signal: gone.signal });
    const behind = limiter.consume("a");
    gone.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    expect(await behind).toMatchObject({ allowed: true, remaining: 89 });
    await expect(limiter.consume("a", { signal: gone.signal })).rejects.toThrow("left");
    await limiter.close();
    expect(await remaining()).toBe(89);
  });

  it("that is wrong is refused as the limiter refuses it", async () => {
    const { limiter, asked } = setUp();
    await expect(limiter.consume("")).rejects.toThrow(InvalidKeyError);
    await expect(limiter.consume("a", { cost: -1 })).rejects.toThrow(InvalidCostError);
    await expect(limiter.peek("")).rejects.toThrow(InvalidKeyError);
    expect(asked).not.toHaveBeenCalled();
  });

  it("waits by acquire for what comes back", async () => {
    const { limiter, pass } = setUp({ size: 2 }, { limit: 2 });
    await limiter.consume("a", { cost: 2 });
    const granted = limiter.acquire("a");
    await pass(WINDOW_MS + 1);
    expect(await granted).toMatchObject({ allowed: true, source: "lease", delayMs: 0 });
  });
});

describe("what is held", () => {
  it("speaks not against a call that takes nothing", async () => {
    const { limiter } = setUp({ size: 9 }, { limit: 10 });
    await limiter.consume("a");
    expect(await limiter.consume("a", { cost: 0, reserve: 5 })).toMatchObject({
      allowed: true,
      remaining: 9,
    });
  });

  it("by another process is waited for by acquire, and no longer", async () => {
    const { limiter, shared, pass } = setUp({ size: 10, maxHoldMs: 500 }, { limit: 10 });
    const other = leased(shared, { size: 10, maxHoldMs: 500 });
    await other.consume("a");
    const granted = limiter.acquire("a", { maxWaitMs: 5_000 });
    await pass(600);
    expect(await granted).toMatchObject({ allowed: true });
  });

  it("goes back before a denial that was remembered is given again", async () => {
    const { limiter, shared } = setUp({ size: 8, maxHoldMs: 60_000 }, { limit: 10, denyCache: {} });
    const other = leased(shared, { size: 8, maxHoldMs: 60_000 });
    await limiter.consume("a");
    expect(await other.consume("a", { cost: 9 })).toMatchObject({ allowed: false });
    expect(await limiter.consume("a", { cost: 9 })).toMatchObject({ allowed: true });
  });
});

describe("callers who wait while the limit is used up", () => {
  it("are denied together, as each would be alone", async () => {
    const { limiter, asked } = setUp({ size: 10 }, { limit: 10 });
    await limiter.consume("a", { cost: 10 });
    asked.mockClear();
    const denied = await Promise.all([
      limiter.consume("a"),
      limiter.consume("a"),
      limiter.consume("a", { cost: 3, atLeast: 1 }),
      limiter.consume("a", { cost: 2 }),
    ]);
    expect(denied.map(({ allowed, cost, retryAfterMs }) => ({ allowed, cost, retryAfterMs }))).toEqual(
      [1, 1, 3, 2].map((cost) => ({ allowed: false, cost, retryAfterMs: WINDOW_MS })),
    );
    expect(asked.mock.calls.length).toBeLessThan(4);
  });
});

describe("peek", () => {
  it("tells what is held too, without the store", async () => {
    const { limiter, asked } = setUp();
    await limiter.consume("a");
    expect(await limiter.peek("a")).toMatchObject({
      allowed: true,
      remaining: 99,
      taken: 0,
      source: "lease",
      receipt: "",
    });
    expect(asked).toHaveBeenCalledOnce();
  });

  it("keeps nothing from being held that is on its way", async () => {
    const { limiter, asked } = setUp();
    const waiting = limiter.consume("a");
    await limiter.peek("a");
    await waiting;
    expect(await limiter.consume("a")).toMatchObject({ source: "lease", remaining: 98 });
    expect(asked).toHaveBeenCalledOnce();
  });

  it("answers as consume would where what is held does not do", async () => {
    const { limiter } = setUp({ size: 10 }, { limit: 12 });
    await limiter.consume("a");
    expect(await limiter.peek("a", { cost: 11 })).toMatchObject({ allowed: true, remaining: 11 });
    expect(await limiter.peek("a", { cost: 12 })).toMatchObject({ allowed: false, retryAfterMs: WINDOW_MS });
  });
});

describe("a decision of a lease", () => {
  it("can be refunded, once, also when its portion is gone", async () => {
    const { limiter, remaining } = setUp();
    const [first, second] = [
      await limiter.consume("a", { cost: 2 }),
      await limiter.consume("a", { cost: 3 }),
    ];
    await limiter.refund(first);
    await limiter.refund(first);
    expect(await remaining()).toBe(92);
    await limiter.close();
    expect(await remaining()).toBe(97);
    await limiter.refund(structuredClone(second));
    expect(await remaining()).toBe(100);
  });

  it("can be settled", async () => {
    const { limiter, remaining } = setUp();
    const settled = await limiter.settle(await limiter.consume("a", { cost: 2 }), 5);
    expect(settled).toMatchObject({ taken: 5, remaining: 87 });
    await limiter.close();
    expect(await remaining()).toBe(95);
  });
});

describe("what changes by hand", () => {
  it("reset forgets what is held, also what is on its way", async () => {
    const { limiter, remaining, store } = setUp();
    const corrected = vi.spyOn(store, "adjust");
    await limiter.consume("a");
    await limiter.reset("a");
    expect(await remaining()).toBe(100);
    const waiting = limiter.consume("a");
    await limiter.reset("a");
    await waiting;
    expect(corrected).not.toHaveBeenCalled();
    expect(await limiter.consume("a")).toMatchObject({ remaining: 99 });
  });

  it("a block gives back what is held and holds at once", async () => {
    const { limiter } = setUp({ size: 10 }, { blockFor: "by-hand" });
    await limiter.consume("a");
    const onItsWay = [limiter.consume("b"), limiter.block("b", 5_000)];
    await Promise.all(onItsWay);
    expect(await limiter.consume("b")).toMatchObject({ allowed: false, reason: "blocked" });
    await limiter.block("a", 5_000);
    expect(await limiter.consume("a")).toMatchObject({ allowed: false, reason: "blocked" });
    await limiter.unblock("a");
    expect(await limiter.consume("a")).toMatchObject({ allowed: true, remaining: 98 });
  });
});

describe("an adaptive lease", () => {
  it("is the default, and begins with what is asked for", async () => {
    const { limiter, remaining } = setUp({}, { limit: 1_000 });
    await limiter.consume("a");
    expect(await remaining()).toBe(999);
  });

  it("takes more as the demand grows, and a tenth of what is left at the most", async () => {
    const { limiter, asked } = setUp({ adaptive: true }, { limit: 1_000 });
    for (let call = 0; call < 700; call++) await limiter.consume("a");
    const portions = asked.mock.calls.map(([, , { cost }]) => cost);
    expect(portions.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 32, 64]);
    expect(Math.max(...portions)).toBeLessThanOrEqual(100);
    expect(portions.at(-1)).toBeLessThan(60);
  });

  it("takes the last units one by one", async () => {
    const { limiter, asked } = setUp({ adaptive: true }, { limit: 1_000 });
    for (let call = 0; call < 1_000; call++) {
      expect(await limiter.consume("a")).toMatchObject({ allowed: true });
    }
    expect(asked.mock.calls.slice(-10).map(([, , { cost }]) => cost)).toEqual(Array(10).fill(1));
    expect(await limiter.consume("a")).toMatchObject({ allowed: false });
  });

  it("takes less when what it took came back", async () => {
    const { limiter, asked, pass } = setUp({ adaptive: true, maxHoldMs: 1_000 }, { limit: 1_000 });
    for (let call = 0; call < 70; call++) await limiter.consume("a");
    await pass(1_000);
    asked.mockClear();
    await limiter.consume("a");
    expect(asked.mock.calls[0]?.[2].cost).toBeLessThanOrEqual(8);
  });
});

describe("an observer of the limiter", () => {
  it("is told of every decision as its caller is, and of no portion", async () => {
    const observe = vi.fn<(event: LimiterEvent) => void>();
    const { limiter } = setUp({ size: 10 }, { observe });
    const decisions = [await limiter.consume("a"), await limiter.consume("a"), await limiter.peek("a")];
    await limiter.close();
    expect(observe.mock.calls.map(([event]) => event)).toEqual([
      { type: "decision", name: "api", operation: "consume", decision: decisions[0] },
      { type: "decision", name: "api", operation: "consume", decision: decisions[1] },
      { type: "decision", name: "api", operation: "peek", decision: decisions[2] },
    ]);
  });
});

describe("in a composite", () => {
  it("it is the limit that it leases from", async () => {
    const { limiter, store } = setUp();
    await limiter.consume("a");
    const both = compose([limiter, tally({ name: "other", limit: 5, window: 1_000, store })]);
    expect((await both.consume("a")).limits.api).toMatchObject({ remaining: 89, source: "store" });
  });
});

describe("leased refuses", () => {
  const { shared, limiter } = setUp();

  it.each([
    ["size 0", { size: 0 }, /size must be a whole number from 1 to 100, which is the limit, got 0/],
    ["a size beyond the limit", { size: 101 }, /got 101/],
    ["a size and adaptive", { size: 5, adaptive: true }, /either a size or adaptive: true/],
    ["neither", { adaptive: false }, /either a size or adaptive: true/],
    ["maxHoldMs 0", { maxHoldMs: 0 }, /maxHoldMs must be a whole number from 1/],
    ["what it does not know", { size: 5, maxHold: 5 }, /unknown option "maxHold"/],
  ])("%s", (_what, options, message) => {
    expect(() => leased(shared, options)).toThrow(InvalidPolicyError);
    expect(() => leased(shared, options)).toThrow(message);
  });

  it("a composite, and what is leased already", () => {
    const other = tally({ name: "other", limit: 5, window: 1_000 });
    const composite = compose([tally({ name: "one", limit: 5, window: 1_000 }), other]);
    // @ts-expect-error a composite is no limiter
    expect(() => leased(composite)).toThrow(/a composite cannot be leased from/);
    expect(() => leased(limiter)).toThrow(/leased already/);
  });

  it("a limiter that would block keys while others hold their units", () => {
    const strict = tally({ name: "log-in", limit: 5, window: 1_000, blockFor: "15m" });
    expect(() => leased(strict)).toThrow(/has blockFor/);
  });

  it("what is no limiter", () => {
    // @ts-expect-error nor is this
    expect(() => leased({ name: "api" })).toThrow(/a limiter was expected, got an object/);
  });
});
