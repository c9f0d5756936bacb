import { describe, expect, it } from "vitest";
import { askOf, isNever, readActualCost, readRequest } from "../src/ask.js";
import { InvalidCostError } from "../src/errors.js";
import type { ConsumeOptions } from "../src/limiter.js";
import { MAX_EXACT } from "../src/whole.js";

const read = (options: ConsumeOptions) => readRequest("api", options, true);

describe("a request", () => {
  it("asks for one unit where nothing is said", () => {
    expect(read({})).toEqual({ commit: true, cost: 1, least: 1, reserve: 0 });
  });

  it("asks for what is said", () => {
    expect(read({ cost: 5, atLeast: 2, reserve: 3 })).toMatchObject({ cost: 5, least: 2, reserve: 3 });
  });

  it("takes undefined for what is not said", () => {
    expect(read({ cost: undefined, atLeast: undefined, reserve: undefined })).toEqual(read({}));
  });

  it("will have the whole cost where it does not say atLeast", () => {
    expect(read({ cost: 4 }).least).toBe(4);
  });

  it.each([
    [{ cost: 10 }, false],
    [{ cost: 11 }, true],
    [{ cost: 10, reserve: 1 }, true],
    [{ cost: 11, atLeast: 10 }, false],
    [{ cost: 0, reserve: 11 }, true],
    [{ cost: MAX_EXACT, reserve: MAX_EXACT }, true],
  ])("of %j can never be granted by a limit of 10: %s", (options, never) => {
    expect(isNever(read(options), 10)).toBe(never);
  });

  it("is never granted anything by a limit of 0, not even a cost of 0", () => {
    expect(isNever(read({ cost: 0 }), 0)).toBe(true);
    expect(isNever(read({ cost: 5, atLeast: 0 }), 0)).toBe(true);
    expect(askOf(read({ cost: 0 }), 0)).toEqual({ commit: true, cost: 1, least: 1, reserve: 0 });
  });

  it("is bounded by the limit for the kernels to calculate with", () => {
    const huge = read({ cost: MAX_EXACT, atLeast: MAX_EXACT, reserve: MAX_EXACT });
    expect(askOf(huge, 10)).toEqual({ commit: true, cost: 11, least: 11, reserve: 11 });
  });

  it("takes -0 for 0", () => {
    expect(Object.is(read({ cost: -0 }).cost, 0)).toBe(true);
  });
});

describe.each(["cost", "reserve", "atLeast"])("%s", (option) => {
  it.each([0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, MAX_EXACT + 1, "1", null, 1n, true, {}])(
    "refuses %o, which is no whole number of units",
    (value) => {
      expect(() => read({ cost: 1, [option]: value })).toThrow(InvalidCostError);
    },
  );
});

it("refuses to take at least more than it asks for", () => {
  expect(() => read({ cost: 2, atLeast: 3 })).toThrow(
    'limiter "api": atLeast must be a whole number from 0 to 2, got 3',
  );
});

describe("an actual cost", () => {
  it.each([0, 1, MAX_EXACT])("may be %d", (cost) => {
    expect(readActualCost("api", cost)).toBe(cost);
  });

  it.each([undefined, null, 0.5, -1, Number.NaN, "1", MAX_EXACT + 1])("is refused where it is %o", (cost) => {
    // @ts-expect-error a caller without types
    expect(() => readActualCost("api", cost)).toThrow(InvalidCostError);
  });

  it("is refused with a message that names the limiter, the value and what would be right", () => {
    expect(() => readActualCost("api", 1.5)).toThrow(
      `limiter "api": the actual cost must be a whole number from 0 to ${MAX_EXACT}, got 1.5`,
    );
  });
});

describe("the options of a call", () => {
  it.each([[{ costs: 3 }], [{ cost: 3, at_least: 1 }]])(
    "are refused where one is misspelt: %j",
    (options) => {
      const misspelt = () => Reflect.apply(readRequest, undefined, ["api", options, true]);
      expect(misspelt).toThrow(InvalidCostError);
    },
  );

  it("are refused where they are none at all, by a message that says what would be right", () => {
    const readNull = () => Reflect.apply(readRequest, undefined, ["api", null, true]);
    expect(readNull).toThrow(InvalidCostError);
    expect(readNull).toThrow(/"api".*\{ cost, atLeast, reserve, signal \}, got null/);
  });
});
