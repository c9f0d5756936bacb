import { describe, expect, it } from "vitest";
import { isWhole, MAX_EXACT, shown } from "../src/whole.js";

describe("a whole number", () => {
  it.each([0, 1, MAX_EXACT])("is %d", (value) => {
    expect(isWhole(value, 0)).toBe(true);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, MAX_EXACT + 1, "1", 1n, null, undefined, [1]])(
    "is not %o",
    (value) => {
      expect(isWhole(value, 0)).toBe(false);
    },
  );

  it("lies within the bounds that are asked for, both of them included", () => {
    expect([1, 2, 3, 4].filter((value) => isWhole(value, 2, 3))).toEqual([2, 3]);
  });
});

describe("a value in a message", () => {
  it.each([
    [42, "42"],
    [Number.NaN, "NaN"],
    [undefined, "undefined"],
    [null, "null"],
    [10n, "10n"],
    [Symbol("a"), "Symbol(a)"],
    ["a\nb", '"a\\nb"'],
    [["a"], "an array"],
    [{ secret: "s" }, "an object (Object)"],
    [new Map(), "an object (Map)"],
    [Object.create(null), "an object (without prototype)"],
    [() => 1, "a function"],
  ])("stands as one can read it: %#", (value, text) => {
    expect(shown(value)).toBe(text);
  });

  it("is cut where it is long", () => {
    expect(shown("a".repeat(1_000))).toBe(`"${"a".repeat(77)}..."`);
  });
});
