import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedWindow } from "../src/index.js";
import { LARGEST_LIMIT, policies } from "./policies.js";

const usual = { limit: 3, window: "1m" };

/** Makes a limiter as untyped code may. */
function make(options: unknown): unknown {
  return Reflect.apply(fixedWindow, undefined, [options]);
}

describe("a policy", () => {
  it("is told as data, durations in milliseconds", () => {
    expect(fixedWindow({ name: "api", ...usual, anchor: "first" }).policy).toEqual({
      algorithm: "fixed-window",
      limit: 3,
      windowMs: 60_000,
      anchor: "first",
    });
  });

  it("goes by the clock where it does not say otherwise", () => {
    for (const options of [usual, { ...usual, anchor: undefined }]) {
      expect(fixedWindow({ name: "api", ...options }).policy).toMatchObject({ anchor: "clock" });
    }
  });

  it("rounds fractions of a millisecond up, once", () => {
    expect(fixedWindow({ name: "api", limit: 1, window: 1_000 / 300 }).policy.windowMs).toBe(4);
  });

  it("is kept where it is exact, however large", () => {
    const accepted = fc.property(policies("clock"), (own) => {
      expect(fixedWindow({ name: "api", ...own }).policy).toMatchObject({
        limit: own.limit,
        windowMs: own.window,
      });
    });
    fc.assert(accepted);
  });

  it("may be of as many units as can be counted, and counts them", async () => {
    const limiter = fixedWindow({ name: "all-units", limit: LARGEST_LIMIT, window: "365d" });
    expect((await limiter.consume("key", { cost: LARGEST_LIMIT - 1 })).remaining).toBe(1);
    expect((await limiter.consume("key")).remaining).toBe(0);
    expect((await limiter.consume("key")).allowed).toBe(false);
  });
});

describe("a policy that is refused", () => {
  const whole = `limit must be a whole number from 0 to ${LARGEST_LIMIT}`;
  const duration = 'window must be a positive number of milliseconds or a string such as "250ms"';
  const anchor = 'anchor must be "clock" or "first"';

  it.each([
    [{ ...usual, limit: -1 }, whole, "got -1"],
    [{ ...usual, limit: 1.5 }, whole, "got 1.5"],
    [{ ...usual, limit: "3" }, whole, 'got "3"'],
    [{ ...usual, limit: LARGEST_LIMIT + 1 }, whole, "got 9007199254740991"],
    [{ window: "1m" }, whole, "got undefined"],
    [{ ...usual, window: 0 }, duration, "got 0"],
    [{ ...usual, window: -1 }, duration, "got -1"],
    [{ ...usual, window: "a while" }, duration, 'got "a while"'],
    [{ ...usual, window: 2 ** 52 + 1 }, duration, "got 4503599627370497"],
    [{ limit: 3 }, duration, "got undefined"],
    [{ ...usual, anchor: "noon" }, anchor, 'got "noon"'],
    [{ ...usual, anchor: null }, anchor, "got null"],
    [{ ...usual, anchor: 12n }, anchor, "got 12"],
    [{ ...usual, anchor: ["first"] }, anchor, "got an object"],
    [
      { ...usual, interval: "1s" },
      "options must be { name, store, perKey, blockFor, onStoreFailure, denyCache, maxWaiters, observe, limit, window, anchor }",
      'got the unknown option "interval"',
    ],
  ])("is told what would be right: %o", (options, right, got) => {
    const refused = () => make({ name: "api", ...options });
    expect(refused).toThrow(expect.objectContaining({ code: "ERR_SLUICE_INVALID_POLICY" }));
    expect(refused).toThrow(`limiter "api": ${right}`);
    expect(refused).toThrow(got);
  });

  it("is refused by with() too, and the limiter goes on as it was", async () => {
    const limiter = fixedWindow({ name: "refused-with", ...usual });
    expect(() => limiter.with({ limit: 0.5 })).toThrow(whole);
    expect(() => limiter.with({ ...usual, ...{ name: "other" } })).toThrow('"name"');
    expect((await limiter.consume("key")).remaining).toBe(2);
  });
});
