import { type LimiterEvent, memoryStore, type StoreFailurePolicy } from "@sluice/core";
import { describe, expect, it, vi } from "vitest";
import { compose } from "../src/compose.js";
import { InvalidCostError, InvalidKeyError, InvalidPolicyError, StoreError } from "../src/errors.js";
import type { RedisStoreOptions } from "../src/redis-store.js";
import { failingStore, LOST, READ_ONLY } from "./failing-store.js";
import { keyedTally } from "./keyed-tally.js";
import { useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const { connection } = await useRedis();
const NEVER = Number.POSITIVE_INFINITY;

function setUp(
  onStoreFailure: StoreFailurePolicy | undefined,
  options: Pick<RedisStoreOptions, "breaker" | "batch"> = { breaker: false },
) {
  const { store, failWith } = failingStore(connection, options);
  const events: LimiterEvent[] = [];
  const observe = (event: LimiterEvent) => void events.push(event);
  const limiter = tally({ name: "api", limit: 5, window: "1h", store, onStoreFailure, observe });
  return { store, failWith, events, limiter };
}

function local(name = "local", limit = 2) {
  return tally({ name, limit, window: "1h", store: memoryStore() });
}

describe("a limiter whose store fails", () => {
  it.each(["throw", undefined] as const)("throws the failure where it is to: %s", async (policy) => {
    const { limiter, failWith } = setUp(policy);
    failWith(LOST);
    const calls = [limiter.consume("a"), limiter.peek("a"), limiter.reset("a")];
    for (const settled of await Promise.allSettled(calls)) {
      expect(settled).toMatchObject({ reason: { code: "ERR_SLUICE_STORE", limiterName: "api" } });
    }
  });

  it("allows where it is to, and says what it does not know", async () => {
    const { limiter, failWith } = setUp("allow");
    failWith(LOST);
    expect(await limiter.consume("a", { cost: 2 })).toEqual({
      allowed: true,
      limit: 5,
      windowMs: 3_600_000,
      remaining: 0,
      retryAfterMs: 0,
      resetAfterMs: 0,
      delayMs: 0,
      cost: 2,
      taken: 0,
      name: "api",
      key: "a",
      decidedAtMs: expect.closeTo(Date.now(), -4),
      reason: "unavailable",
      source: "failure-policy",
      receipt: "",
    });
    expect(await limiter.peek("a")).toMatchObject({ allowed: true, source: "failure-policy" });
  });

  it("denies where it is to, for the breaker's cooldown, or what is left of it", async () => {
    const { limiter, failWith } = setUp("deny", { breaker: { cooldownMs: 60_000 } });
    failWith(LOST);
    expect(await limiter.consume("a")).toMatchObject({
      allowed: false,
      reason: "unavailable",
      source: "failure-policy",
      retryAfterMs: 60_000,
      remaining: 0,
      taken: 0,
    });
    for (let i = 0; i < 4; i++) await limiter.consume("a");
    const { retryAfterMs } = await limiter.consume("a");
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it("denies what can never pass, whatever its policy", async () => {
    const { limiter, failWith } = setUp("allow");
    failWith(LOST);
    expect(await limiter.consume("a", { cost: 6 })).toMatchObject({
      allowed: false,
      reason: "never",
      retryAfterMs: NEVER,
    });
    expect(await limiter.with({ limit: 0 }).consume("a")).toMatchObject({ allowed: false });
  });

  it("answers by its policy where only the keys know their limits", async () => {
    const { store, failWith } = failingStore(connection);
    const limiter = keyedTally({ name: "keyed", perKey: true, store, onStoreFailure: "allow" });
    failWith(LOST);
    expect(await limiter.consume("a", { cost: 6 })).toMatchObject({ allowed: true, limit: 0, remaining: 0 });
    await expect(limiter.setLimit("a", { limit: 1, window: 1 })).rejects.toThrow(StoreError);
    await expect(limiter.getLimit("a")).rejects.toThrow(StoreError);
    await expect(limiter.clearLimit("a")).rejects.toThrow(StoreError);
  });

  it("refuses wrong input all the same", async () => {
    const { limiter, failWith } = setUp("allow");
    failWith(LOST);
    await expect(limiter.consume("")).rejects.toThrow(InvalidKeyError);
    await expect(limiter.consume("a", { cost: 0.5 })).rejects.toThrow(InvalidCostError);
    await expect(limiter.refund({ ...(await limiter.consume("a")), name: "other" })).rejects.toThrow(
      InvalidKeyError,
    );
    await expect(limiter.consume("a", { signal: AbortSignal.abort("gone") })).rejects.toBe("gone");
  });

  it.each(["allow", "deny"] as const)("keeps quiet about what it cannot give back: %s", async (policy) => {
    const { limiter, failWith, events } = setUp(policy);
    const decision = await limiter.consume("a");
    failWith(READ_ONLY);
    await limiter.refund(decision);
    await limiter.reset("a");
    expect(events.filter(({ type }) => type === "store-failure")).toMatchObject([
      { operation: "refund" },
      { operation: "reset" },
    ]);
    failWith(undefined);
    // nothing was counted, so the receipt is still good
    await limiter.refund(decision);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 5 });
  });

  it("leaves a decision as it was that cannot be settled, to be settled later if that is safe", async () => {
    const { limiter, failWith } = setUp("deny");
    const decision = await limiter.consume("a", { cost: 2 });
    failWith(READ_ONLY);
    const unsettled = await limiter.settle(decision, 4);
    expect(unsettled).toMatchObject({ allowed: true, taken: 2, source: "failure-policy" });
    expect(unsettled.receipt).toBe(decision.receipt);
    failWith(undefined);
    expect(await limiter.settle(unsettled, 4)).toMatchObject({ taken: 4, remaining: 1 });
    failWith(LOST);
    expect(await limiter.settle(await setUp("deny").limiter.consume("a"), 4)).toMatchObject({ receipt: "" });
  });

  it("gives to its variants what it is to do", async () => {
    const { limiter, failWith } = setUp("allow");
    failWith(LOST);
    expect(await limiter.with({ limit: 9 }).consume("a")).toMatchObject({ allowed: true, limit: 9 });
  });

  it.each(["allowed", 5, null, {}, { consume: () => 1 }])("refuses %j for a policy", (policy) => {
    // @ts-expect-error a caller without types
    expect(() => setUp(policy)).toThrow(InvalidPolicyError);
  });
});

describe("a fallback", () => {
  it("decides while the store fails, and under its own name", async () => {
    const { limiter, failWith } = setUp(local());
    failWith(LOST);
    expect(await limiter.consume("a")).toMatchObject({
      allowed: true,
      name: "local",
      limit: 2,
      remaining: 1,
      source: "fallback",
    });
    expect(await limiter.peek("a", { cost: 2 })).toMatchObject({ allowed: false, source: "fallback" });
  });

  it("is not asked when the store denies", async () => {
    const { limiter } = setUp(local());
    await limiter.consume("a", { cost: 5 });
    expect(await limiter.consume("a")).toMatchObject({ allowed: false, name: "api", source: "store" });
  });

  it("gets back what it gave, and only that", async () => {
    const fallback = local();
    const { limiter, failWith } = setUp(fallback);
    const before = await limiter.consume("a");
    failWith(LOST);
    const during = JSON.parse(JSON.stringify(await limiter.consume("a")));
    await limiter.refund(before);
    expect(await fallback.peek("a")).toMatchObject({ remaining: 1 });
    failWith(undefined);
    await limiter.refund(during);
    await limiter.refund(during);
    expect(await fallback.peek("a")).toMatchObject({ remaining: 2 });
    expect(await limiter.peek("a")).toMatchObject({ remaining: 4 });
  });

  it("settles what it gave", async () => {
    const { limiter, failWith } = setUp(local());
    failWith(LOST);
    const settled = await limiter.settle(await limiter.consume("a"), 2);
    expect(settled).toMatchObject({ name: "local", taken: 2, remaining: 0, source: "fallback" });
    await limiter.refund(settled);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 2 });
    await expect(limiter.settle(settled, 0.5)).rejects.toThrow(InvalidCostError);
  });

  it("is reset in the place of the store", async () => {
    const { limiter, failWith } = setUp(local());
    failWith(LOST);
    await limiter.consume("a", { cost: 2 });
    await limiter.reset("a");
    expect(await limiter.peek("a")).toMatchObject({ remaining: 2 });
  });

  it("may have a fallback itself, and each gets back its own, though all bear one name", async () => {
    const last = local("api");
    const second = failingStore(connection, { prefix: "second" });
    const fallback = tally({
      name: "api",
      limit: 3,
      window: "1h",
      store: second.store,
      onStoreFailure: last,
    });
    const { limiter, failWith } = setUp(fallback);
    failWith(LOST);
    const ofSecond = await limiter.consume("a");
    second.failWith(LOST);
    const ofLast = await limiter.consume("a");
    second.failWith(undefined);
    await limiter.refund(ofLast);
    expect([(await fallback.peek("a")).remaining, (await last.peek("a")).remaining]).toEqual([2, 2]);
    await limiter.refund(ofSecond);
    expect((await fallback.peek("a")).remaining).toBe(3);
  });

  it("may be a composite, which takes all or nothing", async () => {
    const store = memoryStore();
    const both = compose([
      tally({ name: "one", limit: 3, window: "1h", store }),
      tally({ name: "two", limit: 4, window: "1h", store }),
    ]);
    const { limiter, failWith } = setUp(both);
    failWith(LOST);
    const decision = await limiter.consume("a", { cost: 9, atLeast: 2 });
    expect(decision).toMatchObject({ allowed: true, taken: 2, name: "one", source: "fallback" });
    await limiter.refund(decision);
    expect(await both.peek("a")).toMatchObject({ limits: { one: { remaining: 3 }, two: { remaining: 4 } } });
  });

  it("hears the caller's signal", async () => {
    const { limiter, failWith } = setUp({
      ...local(),
      name: "slow",
      consume: (_key, { signal } = {}) =>
        new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
      peek: vi.fn(),
      refund: vi.fn(),
      settle: vi.fn(),
      reset: vi.fn(),
    });
    failWith(LOST);
    const controller = new AbortController();
    const waiting = limiter.consume("a", { signal: controller.signal });
    setTimeout(() => controller.abort("gone"), 20);
    await expect(waiting).rejects.toBe("gone");
  });
});

describe("an observer", () => {
  it.each<[string, false | undefined, string[]]>([
    ["where calls go one by one", false, ["half-open", "closed"]],
    // what waits for its turn has not asked yet
    ["where they go in batches", undefined, ["closed"]],
  ])("is told of decisions, failures and the breaker, %s", async (_, batch, found) => {
    const { limiter, failWith, events } = setUp("allow", { breaker: { cooldownMs: 30 }, batch });
    await limiter.consume("a");
    failWith(LOST);
    for (let i = 0; i < 5; i++) await limiter.consume("a");
    failWith(undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await limiter.peek("a");
    const told = events.map((event) => (event.type === "breaker" ? event.state : event.type));
    expect(told).toEqual([
      "decision",
      ...Array.from({ length: 4 }, () => ["store-failure", "decision"]).flat(),
      "store-failure",
      "open",
      "decision",
      ...found,
      "decision",
    ]);
    expect(events[0]).toMatchObject({ name: "api", operation: "consume", decision: { allowed: true } });
    expect(events[1]).toMatchObject({
      name: "api",
      operation: "consume",
      error: { code: "ERR_SLUICE_STORE" },
    });
  });

  it.each([
    () => {
      throw new Error("observer");
    },
    () => Promise.reject(new Error("observer")),
  ])("can do no harm", async (observe) => {
    const limiter = tally({ name: "api", limit: 5, window: "1h", store: memoryStore(), observe });
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
  });

  it("must be a function", () => {
    // @ts-expect-error a caller without types
    expect(() => tally({ name: "api", limit: 5, window: "1h", observe: true })).toThrow(
      'limiter "api": observe must be a function, got true',
    );
  });
});
