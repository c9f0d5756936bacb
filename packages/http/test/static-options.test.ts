import { compose, InvalidPolicyError } from "@sluice/core";
import { tokenBucket } from "@sluice/token-bucket";
import { expect, it } from "vitest";
import { rateLimit } from "../src/index.js";
import { stillStore } from "./decisions.js";

const store = stillStore();
const refill = { tokens: 1, every: "1m" };
const one = tokenBucket({ name: "one", capacity: 5, refill, store });
const two = tokenBucket({ name: "two", capacity: 5, refill, store });
const both = compose([one, two]);

it.each([
  [{ limiter: one, key: null }, "key must be a text"],
  [{ limiter: one, key: 0 }, "got 0"],
  [{ limiter: one, key: "" }, 'got ""'],
  [{ limiter: one, key: [] }, "got an array"],
  [{ limiter: one, key: { one: "a" } }, "got an object"],
  [{ limiter: both, key: { one: "a" } }, 'got none for "two"'],
  [{ limiter: both, key: { one: "a", two: 3 } }, 'got 3 for "two"'],
  [{ limiter: one, key: "a", cost: -1 }, "cost must be a whole number from 0"],
  [{ limiter: one, key: "a", cost: "5" }, 'got "5"'],
  [{ limiter: one, key: "a", cost: Number.NaN }, "got NaN"],
  [{ limiter: one, key: "a", reserve: 1.5 }, "reserve must be a whole number from 0"],
  [{ limiter: both, key: "a", cost: { one: 1, twoo: 1 } }, 'got none for "two"'],
  [{ limiter: both, key: "a", cost: { one: 1, two: 1, three: 1 } }, 'got 1 for "three"'],
  [{ limiter: { ...one, name: undefined }, key: "a" }, "limiter must be a limiter"],
  [{ limiter: one, key: "a", body: () => "", contentType: "a\nb" }, "contentType"],
])("what could never work is refused at once: %j", (options, message) => {
  // @ts-expect-error a caller without types
  const make = (): unknown => rateLimit(options);
  expect(make).toThrow(InvalidPolicyError);
  expect(make).toThrow(message);
});

it.each([
  { limiter: one, key: ["user", "42"], cost: 0 },
  { limiter: both, key: { one: "a", two: ["b"] }, cost: { one: 1, two: 2 }, reserve: 3 },
  { limiter: () => both, key: { one: "a", two: "b" } },
])("what can work is not: %j", (options) => {
  expect(() => rateLimit(options)).not.toThrow();
});
