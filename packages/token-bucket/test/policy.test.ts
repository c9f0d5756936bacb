import { wide } from "@sluice/algorithm-proof";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenBucket } from "../src/token-bucket.js";
import { policies } from "./policies.js";

const refill = { tokens: 5, every: "1s" };
const usual = { capacity: 20, refill };

/** Makes a limiter as untyped code may. */
function make(options: unknown): unknown {
  return Reflect.apply(tokenBucket, undefined, [options]);
}

describe("a policy", () => {
  it("is told as data, durations in milliseconds", () => {
    expect(tokenBucket({ name: "api", ...usual }).policy).toEqual({
      algorithm: "token-bucket",
      limit: 20,
      windowMs: 4_000,
      capacity: 20,
      refill: { tokens: 5, everyMs: 1_000 },
    });
  });

  it("has the time in which an empty bucket fills as its window, rounded up", () => {
    const windowOf = (capacity: number, tokens: number, every: number | string) =>
      tokenBucket({ name: "api", capacity, refill: { tokens, every } }).policy.windowMs;
    expect(windowOf(1, 10, 13_000)).toBe(1_300);
    expect(windowOf(10, 3, "1s")).toBe(3_334);
    expect(windowOf(0, 1, "1d")).toBe(0);
  });

  it("rounds fractions of a millisecond up, once", () => {
    const { policy } = tokenBucket({ name: "api", capacity: 1, refill: { tokens: 1, every: 1_000 / 300 } });
    expect(policy).toMatchObject({ windowMs: 4, refill: { everyMs: 4 } });
  });

  it("is kept where it is exact, however large", () => {
    const accepted = fc.property(policies, (own) => {
      expect(tokenBucket({ name: "api", ...own }).policy.limit).toBe(own.capacity);
    });
    fc.assert(accepted);
  });
});

describe("a policy that is refused", () => {
  const whole = "must be a whole number from";
  const duration = 'must be a positive number of milliseconds or a string such as "250ms"';

  it.each([
    [{ ...usual, capacity: -1 }, `capacity ${whole} 0`, "got -1"],
    [{ ...usual, capacity: 1.5 }, `capacity ${whole} 0`, "got 1.5"],
    [{ ...usual, capacity: "20" }, `capacity ${whole} 0`, 'got "20"'],
    [{ refill }, `capacity ${whole} 0`, "got undefined"],
    [{ ...usual, refill: { tokens: 0, every: "1s" } }, `refill.tokens ${whole} 1`, "got 0"],
    [{ ...usual, refill: { tokens: 0.33, every: "1s" } }, `refill.tokens ${whole} 1`, "got 0.33"],
    [{ ...usual, refill: { tokens: 5, every: 0 } }, `refill.every ${duration}`, "got 0"],
    [{ ...usual, refill: { tokens: 5, every: -1 } }, `refill.every ${duration}`, "got -1"],
    [{ ...usual, refill: { tokens: 5, every: "a while" } }, `refill.every ${duration}`, 'got "a while"'],
    [{ ...usual, refill: { tokens: 5, every: 2 ** 53 } }, `refill.every ${duration}`, "got 9007199254740992"],
    [{ ...usual, refill: { tokens: 5 } }, `refill.every ${duration}`, "got undefined"],
    [{ ...usual, refill: 5 }, "refill must be { tokens, every }", "got 5"],
    [{ ...usual, refill: { ...refill, per: 1 } }, "refill must be { tokens, every }", '"per"'],
    [{ capacity: 20 }, "refill must be { tokens, every }", "got undefined"],
    [
      { ...usual, interval: "1s" },
      "options must be { name, store, perKey, blockFor, onStoreFailure, denyCache, maxWaiters, observe, capacity, refill }",
      '"interval"',
    ],
  ])("is told what would be right: %o", (options, right, got) => {
    const refused = () => make({ name: "api", ...options });
    expect(refused).toThrow(expect.objectContaining({ code: "ERR_SLUICE_INVALID_POLICY" }));
    expect(refused).toThrow(`limiter "api": ${right}`);
    expect(refused).toThrow(got);
  });

  it("is refused by with() too, and the limiter goes on as it was", async () => {
    const limiter = tokenBucket({ name: "refused-with", ...usual });
    expect(() => limiter.with({ capacity: 0.5 })).toThrow("capacity must be a whole number");
    expect(() => limiter.with({ ...usual, ...{ name: "other" } })).toThrow('"name"');
    expect((await limiter.consume("key")).remaining).toBe(19);
  });

  it("is told the largest capacity that can be kept exactly, and that one can", () => {
    const rates = fc.record({ tokens: wide(1, 2 ** 40), every: wide(1, 2 ** 52) });
    const property = fc.property(rates, (rate) => {
      const largest = largestFor(rate);
      fc.pre(largest < Number.MAX_SAFE_INTEGER);
      expect(() => tokenBucket({ name: "api", capacity: largest + 1, refill: rate })).toThrow(
        `capacity must be at most ${largest} to be exact with ${rate.tokens} tokens every ${rate.every} ms, got ${largest + 1}`,
      );
      expect(tokenBucket({ name: "api", capacity: largest, refill: rate }).policy.limit).toBe(largest);
    });
    fc.assert(property);
  });

  it("keeps a token a day for as many as 52 million tokens", () => {
    expect(largestFor({ tokens: 1, every: 86_400_000 })).toBe(52_124_995);
  });
});

/** What a refusal says is the largest capacity for a rate; 2^53 − 1 where none is refused. */
function largestFor(rate: { tokens: number; every: number }): number {
  try {
    tokenBucket({ name: "api", capacity: Number.MAX_SAFE_INTEGER, refill: rate });
    return Number.MAX_SAFE_INTEGER;
  } catch (error) {
    const [, largest] = /at most (\d+) to be exact/.exec(String(error)) ?? [];
    return Number(largest);
  }
}
