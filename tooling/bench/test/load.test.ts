import { expect, it } from "vitest";
import { quantile, timeCalls } from "../src/load.ts";

it("times as many calls as it was asked for, the shortest first, however many callers share them", async () => {
  let calls = 0;
  const tookMs = await timeCalls(async () => ++calls, 10, 3);
  expect(calls).toBe(10);
  expect(tookMs).toHaveLength(10);
  expect([...tookMs]).toEqual([...tookMs].sort((one, other) => one - other));
});

it("reads quantiles by nearest rank", () => {
  const hundred = Float64Array.from({ length: 100 }, (_, index) => index + 1);
  expect([0, 0.5, 0.99, 1].map((share) => quantile(hundred, share))).toEqual([1, 50, 99, 100]);
  expect(quantile(Float64Array.of(7), 0.5)).toBe(7);
});

it("has no quantile of nothing", () => {
  expect(() => quantile(new Float64Array(), 0.5)).toThrow("no values");
});
