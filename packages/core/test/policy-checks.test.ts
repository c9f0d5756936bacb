import { describe, expect, it } from "vitest";
import { InvalidPolicyError } from "../src/errors.js";
import { policyChecks } from "../src/policy-checks.js";

const checks = policyChecks("api");

describe("whole", () => {
  it("passes a whole number within the bounds", () => {
    expect(checks.whole("limit", 0, 0)).toBe(0);
    expect(checks.whole("limit", 7, 1, 7)).toBe(7);
    expect(checks.whole("limit", 2 ** 53 - 1, 0)).toBe(2 ** 53 - 1);
  });

  it.each([0, 8, 1.5, 0.33, Number.NaN, Number.POSITIVE_INFINITY, "5", undefined, null, 5n])(
    "refuses %o",
    (value) => {
      expect(() => checks.whole("limit", value, 1, 7)).toThrow(InvalidPolicyError);
    },
  );

  it("says which limiter, which option, what would be right and what it got", () => {
    expect(() => checks.whole("limit", 8, 1, 7)).toThrow(
      'limiter "api": limit must be a whole number from 1 to 7, got 8',
    );
  });
});

describe("duration", () => {
  it("passes milliseconds and strings, as whole milliseconds", () => {
    expect(checks.duration("window", 1_500)).toBe(1_500);
    expect(checks.duration("window", "1s")).toBe(1_000);
    expect(checks.duration("window", 1000 / 300)).toBe(4);
  });

  it("passes the longest that stays exact when added to a date, and nothing longer", () => {
    expect(checks.duration("window", 2 ** 52)).toBe(2 ** 52);
    expect(() => checks.duration("window", 2 ** 52 + 1)).toThrow(InvalidPolicyError);
  });

  it("may be bounded further", () => {
    expect(checks.duration("window", "1s", 1_000)).toBe(1_000);
    expect(() => checks.duration("window", 1_001, 1_000)).toThrow("at most 1000 ms, got 1001");
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "", "abc", "0s", undefined, null])(
    "refuses %o",
    (value) => {
      expect(() => checks.duration("window", value)).toThrow(InvalidPolicyError);
    },
  );

  it("says what would be right", () => {
    expect(() => checks.duration("window", "abc")).toThrow(
      'limiter "api": window must be a positive number of milliseconds or a string such as "250ms", "1s", "5m", ' +
        `"1h", "1d", at most ${2 ** 52} ms, got "abc"`,
    );
  });
});

describe("record", () => {
  const read = (value: unknown): unknown => checks.record("refill", value, ["tokens", "every"]);

  it("passes the properties it knows, unchecked", () => {
    expect(read({ tokens: "?", every: null })).toEqual({ tokens: "?", every: null });
  });

  it("leaves a missing property undefined, for the check of its own to refuse", () => {
    expect(read({ tokens: 1 })).toEqual({ tokens: 1, every: undefined });
  });

  it.each([undefined, null, 5, "5/s", [1, 2], () => 1])("refuses %o", (value) => {
    expect(() => read(value)).toThrow('limiter "api": refill must be { tokens, every }, got');
  });

  it("refuses a property that it does not know", () => {
    expect(() => read({ tokens: 1, every: 1, evry: 1 })).toThrow('got the unknown property "evry"');
  });
});

it("refuses whatever else an algorithm cannot keep, in its own words", () => {
  expect(() => checks.refuse("limit must be even, got 3")).toThrow(InvalidPolicyError);
  expect(() => checks.refuse("limit must be even, got 3")).toThrow(
    'limiter "api": limit must be even, got 3',
  );
});
