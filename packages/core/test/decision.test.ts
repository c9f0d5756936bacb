import { describe, expect, it } from "vitest";
import { useStores } from "./stores.js";
import { tally } from "./tiny-algorithm.js";

describe.each(await useStores())("a decision of a limiter on $kind", ({ make }) => {
  const limiterOf = (limit: number) => tally({ name: "api", limit, window: "1m", store: make().store });

  it("has the fields of the contract, all of them and no others", async () => {
    const decision = await limiterOf(5).consume(["user", "{42}"], { cost: 2 });
    expect(decision).toEqual({
      allowed: true,
      limit: 5,
      windowMs: 60_000,
      remaining: 3,
      retryAfterMs: 0,
      resetAfterMs: 60_000,
      delayMs: 0,
      cost: 2,
      taken: 2,
      name: "api",
      key: "user|%7B42%7D",
      decidedAtMs: 1_000_000,
      reason: "allowed",
      source: "store",
      receipt: expect.stringMatching(/./),
    });
  });

  it("of a denial says when the same call passes", async () => {
    const limiter = limiterOf(1);
    await limiter.consume("a");
    expect(await limiter.consume("a")).toEqual({
      allowed: false,
      limit: 1,
      windowMs: 60_000,
      remaining: 0,
      retryAfterMs: 60_000,
      resetAfterMs: 60_000,
      delayMs: 0,
      cost: 1,
      taken: 0,
      name: "api",
      key: "a",
      decidedAtMs: 1_000_000,
      reason: "limited",
      source: "store",
      receipt: "",
    });
  });

  it("of what can never pass says so", async () => {
    expect(await limiterOf(1).consume("a", { cost: 2 })).toMatchObject({
      allowed: false,
      reason: "never",
      retryAfterMs: Number.POSITIVE_INFINITY,
      remaining: 1,
      taken: 0,
    });
  });

  it("survives JSON and structured clone, and a refund by what comes out", async () => {
    const limiter = limiterOf(5);
    const decision = await limiter.consume("a");
    const parsed: typeof decision = JSON.parse(JSON.stringify(decision));
    expect(parsed).toStrictEqual(decision);
    expect(structuredClone(decision)).toStrictEqual(decision);
    await limiter.refund(parsed);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 5 });
  });

  it("is plain data: own, enumerable, writable properties of a plain object", async () => {
    const limiter = limiterOf(1);
    for (const decision of [
      await limiter.consume("a"),
      await limiter.consume("a"),
      await limiter.peek("a"),
    ]) {
      expect(Object.getPrototypeOf(decision)).toBe(Object.prototype);
      const properties = Object.values(Object.getOwnPropertyDescriptors(decision));
      expect(properties).toHaveLength(15);
      for (const { enumerable, writable } of properties) expect([enumerable, writable]).toEqual([true, true]);
    }
  });
});
