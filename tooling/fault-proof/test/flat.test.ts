import { expect, it } from "vitest";
import { isFlat } from "../src/flat.ts";

it("takes memory for flat that grows only in the beginning", () => {
  expect(isFlat([5, 9, 10, 10, 11, 10, 10, 10, 10])).toBe(true);
});

it("does not where it grows on", () => {
  expect(isFlat([5, 6, 7, 8, 9, 10, 11, 12, 13])).toBe(false);
});

it("tells nothing of too few measurements", () => {
  expect(isFlat([5, 9, 10, 10, 11, 10, 10, 10])).toBeUndefined();
});
