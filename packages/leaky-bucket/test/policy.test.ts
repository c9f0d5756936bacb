import { wide } from "@sluice/algorithm-proof";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leakyBucket, leakyBucketMeter } from "../src/index.js";
import { meterPolicies, queuePolicies } from "./policies.js";

const leak = { tokens: 4, every: "1s" };
const usual = { capacity: 3, leak };
const MOST = Number.MAX_SAFE_INTEGER;

describe("a policy", () => {
  it("of the queue is told as data: its limit is one more than can wait", () => {
    expect(leakyBucket({ name: "crawl", ...usual }).policy).toEqual({
      algorithm: "leaky-bucket",
      limit: 4,
      windowMs: 1_000,
      capacity: 3,
      leak: { tokens: 4, everyMs: 1_000 },
    });
  });

  it("of the meter is told as data", () => {
    expect(leakyBucketMeter({ name: "search", ...usual }).policy).toEqual({
      algorithm: "leaky-bucket-meter",
      limit: 3,
      windowMs: 750,
      capacity: 3,
      leak: { tokens: 4, everyMs: 1_000 },
    });
  });

  it("has the time in which a full one drains as its window, rounded up", () => {
    const pace = { tokens: 3, every: "1s" };
    expect(leakyBucket({ name: "crawl", capacity: 0, leak: pace }).policy.windowMs).toBe(334);
    expect(leakyBucket({ name: "crawl", capacity: 9, leak: pace }).policy.windowMs).toBe(3_334);
    expect(leakyBucketMeter({ name: "search", capacity: 10, leak: pace }).policy.windowMs).toBe(3_334);
    expect(leakyBucketMeter({ name: "search", capacity: 0, leak: pace }).policy.windowMs).toBe(0);
  });

  it("rounds fractions of a millisecond up, once", () => {
    const pace = { tokens: 1, every: 1_000 / 300 };
    expect(leakyBucket({ name: "crawl", capacity: 0, leak: pace }).policy.windowMs).toBe(4);
  });

  it("is kept where it is exact, however large", () => {
    const queues = fc.property(queuePolicies, (own) => {
      expect(leakyBucket({ name: "crawl", ...own }).policy.limit).toBe(own.capacity + 1);
    });
    const meters = fc.property(meterPolicies, (own) => {
      expect(leakyBucketMeter({ name: "search", ...own }).policy.limit).toBe(own.capacity);
    });
    fc.assert(queues);
    fc.assert(meters);
  });
});

describe.each([
  { kind: "queue", create: leakyBucket, name: "leaky-bucket" },
  { kind: "meter", create: leakyBucketMeter, name: "leaky-bucket-meter" },
])("a policy that the $kind refuses", ({ create }) => {
  /** Makes a limiter as untyped code may. */
  const make = (options: unknown): unknown => Reflect.apply(create, undefined, [options]);
  const whole = "must be a whole number from";
  const duration = 'must be a positive number of milliseconds or a string such as "250ms"';

  it.each([
    [{ ...usual, capacity: -1 }, `capacity ${whole} 0`, "got -1"],
    [{ ...usual, capacity: 1.5 }, `capacity ${whole} 0`, "got 1.5"],
    [{ ...usual, capacity: "3" }, `capacity ${whole} 0`, 'got "3"'],
    [{ leak }, `capacity ${whole} 0`, "got undefined"],
    [{ ...usual, leak: { tokens: 0, every: "1s" } }, `leak.tokens ${whole} 1`, "got 0"],
    [{ ...usual, leak: { tokens: 0.33, every: "1s" } }, `leak.tokens ${whole} 1`, "got 0.33"],
    [{ ...usual, leak: { tokens: 4, every: 0 } }, `leak.every ${duration}`, "got 0"],
    [{ ...usual, leak: { tokens: 4, every: "a while" } }, `leak.every ${duration}`, 'got "a while"'],
    [{ ...usual, leak: { tokens: 4 } }, `leak.every ${duration}`, "got undefined"],
    [{ ...usual, leak: 4 }, "leak must be { tokens, every }", "got 4"],
    [{ ...usual, leak: { ...leak, per: 1 } }, "leak must be { tokens, every }", '"per"'],
    [{ capacity: 3 }, "leak must be { tokens, every }", "got undefined"],
    [
      { ...usual, interval: "1s" },
      "options must be { name, store, perKey, blockFor, onStoreFailure, denyCache, maxWaiters, observe, capacity, leak }",
      '"interval"',
    ],
  ])("is told what would be right: %o", (options, right, got) => {
    const refused = () => make({ name: "crawl", ...options });
    expect(refused).toThrow(expect.objectContaining({ code: "ERR_SLUICE_INVALID_POLICY" }));
    expect(refused).toThrow(`limiter "crawl": ${right}`);
    expect(refused).toThrow(got);
  });

  it("is refused by with() too, and the limiter goes on as it was", async () => {
    const limiter = create({ name: "refused-with", ...usual });
    await limiter.reset("key");
    const { remaining } = await limiter.consume("key");
    expect(() => limiter.with({ capacity: 0.5 })).toThrow("capacity must be a whole number");
    expect((await limiter.consume("key")).remaining).toBe(remaining - 1);
  });

  it("is told the largest capacity that can be kept exactly, and that one can", () => {
    const rates = fc.record({ tokens: wide(1, 2 ** 40), every: wide(1, 2 ** 52) });
    const property = fc.property(rates, (rate) => {
      const largest = largestFor(create, rate);
      fc.pre(largest >= 0 && largest < MOST);
      expect(() => create({ name: "crawl", capacity: largest + 1, leak: rate })).toThrow(
        `capacity must be at most ${largest} to be exact with ${rate.tokens} tokens every ${rate.every} ms, got ${largest + 1}`,
      );
      expect(create({ name: "crawl", capacity: largest, leak: rate }).policy).toMatchObject({
        capacity: largest,
      });
    });
    fc.assert(property);
  });
});

it("lets one fewer wait in a queue than a meter holds: one passes at once", () => {
  const daily = { tokens: 1, every: 86_400_000 };
  expect(largestFor(leakyBucketMeter, daily)).toBe(52_124_995);
  expect(largestFor(leakyBucket, daily)).toBe(52_124_994);
});

/** What a refusal says is the largest capacity for a rate; 2^53 − 1 where none is refused. */
function largestFor(
  create: typeof leakyBucket | typeof leakyBucketMeter,
  rate: { tokens: number; every: number },
): number {
  try {
    create({ name: "crawl", capacity: MOST, leak: rate });
    return MOST;
  } catch (error) {
    const [, largest] = /at most (-?\d+) to be exact/.exec(String(error)) ?? [];
    return Number(largest);
  }
}
