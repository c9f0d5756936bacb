import fc from "fast-check";
import { expect, it } from "vitest";
import { dotNumber } from "../src/dot-number.js";

it("writes any whole number behind a dot, whatever it has written before", () => {
  const dates = fc.integer({ min: 1_796_000_000_000, max: 1_796_000_300_000 });
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.maxSafeNat(), fc.nat(2_000), dates)), (numbers) => {
      expect(numbers.map(dotNumber)).toEqual(numbers.map((number) => `.${number}`));
    }),
  );
});

it.each([0, 9, 999, 1_000, 999_999, 1_000_000, 256_000, 512_001, 2 ** 53 - 1])("writes %d", (number) => {
  expect(dotNumber(number)).toBe(`.${number}`);
});
