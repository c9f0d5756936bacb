import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slidingWindowCounter, slidingWindowLog } from "../src/index.js";
import { counterPolicies, LARGEST_COUNTER, LARGEST_LOG, logPolicies } from "./policies.js";

const usual = { limit: 100, window: "1m" };

describe.each([
  {
    id: "sliding-window-log",
    make: slidingWindowLog,
    policies: logPolicies,
    largest: LARGEST_LOG,
  },
  {
    id: "sliding-window-counter",
    make: slidingWindowCounter,
    policies: counterPolicies,
    largest: LARGEST_COUNTER,
  },
])("a policy of $id", ({ id, make, policies, largest }) => {
  it("is told as data, durations in milliseconds", () => {
    const { policy } = make({ name: "api", ...usual });
    expect(policy).toEqual({ algorithm: id, limit: 100, windowMs: 60_000 });
  });

  it("rounds fractions of a millisecond up, once", () => {
    expect(make({ name: "api", limit: 1, window: 1_000 / 300 }).policy.windowMs).toBe(4);
  });

  it("is kept where it is exact, however large, and may deny everything", () => {
    const accepted = fc.property(policies, ({ limit, window }) => {
      expect(make({ name: "api", limit, window }).policy).toMatchObject({ limit, windowMs: window });
    });
    fc.assert(accepted);
    const { limit, windowMs } = largest;
    expect(make({ name: "api", limit, window: windowMs }).policy).toMatchObject(largest);
    expect(make({ name: "api", limit: 0, window: windowMs }).policy.limit).toBe(0);
  });

  it.each([
    ["a limit that is larger", { ...usual, limit: largest.limit + 1 }, `got ${largest.limit + 1}`],
    ["a limit below 0", { ...usual, limit: -1 }, "got -1"],
    ["a limit with a fraction", { ...usual, limit: 1.5 }, "got 1.5"],
    ["a limit as text", { ...usual, limit: "100" }, 'got "100"'],
    ["no limit", { window: "1m" }, "got undefined"],
  ])("is refused with %s, and told what would be right", (_, options, got) => {
    expectRefusal(make, options, `limit must be a whole number from 0 to ${largest.limit}`, got);
  });

  it.each([
    ["a window that is longer", { ...usual, window: largest.windowMs + 1 }, `got ${largest.windowMs + 1}`],
    ["a window of no time", { ...usual, window: 0 }, "got 0"],
    ["a window that goes back", { ...usual, window: -1 }, "got -1"],
    ["a window without a number", { ...usual, window: "a while" }, 'got "a while"'],
    ["a window without an end", { ...usual, window: Number.POSITIVE_INFINITY }, "got Infinity"],
    ["no window", { limit: 100 }, "got undefined"],
  ])("is refused with %s, and told what would be right", (_, options, got) => {
    const right = 'window must be a positive number of milliseconds or a string such as "250ms"';
    expectRefusal(make, options, right, `at most ${largest.windowMs} ms, ${got}`);
  });

  it("is refused with an option that it does not know, and told which there are", () => {
    const options = { ...usual, interval: "1s" };
    expectRefusal(
      make,
      options,
      "options must be { name, store, perKey, blockFor, onStoreFailure, denyCache, maxWaiters, observe, limit, window }",
      '"interval"',
    );
  });

  it("is refused by with() too, and the limiter goes on as it was", async () => {
    const limiter = make({ name: `refused-${id}`, ...usual });
    expect(() => limiter.with({ limit: 0.5 })).toThrow("limit must be a whole number");
    expect(() => limiter.with({ window: 0 })).toThrow("window must be a positive number");
    expect((await limiter.consume("key")).remaining).toBe(99);
  });
});

/** Makes a limiter as untyped code may. */
function expectRefusal(make: (options: never) => unknown, options: object, right: string, got: string): void {
  const refused = (): unknown => Reflect.apply(make, undefined, [{ name: "api", ...options }]);
  expect(refused).toThrow(expect.objectContaining({ code: "ERR_SLUICE_INVALID_POLICY" }));
  expect(refused).toThrow(`limiter "api": ${right}`);
  expect(refused).toThrow(got);
}
