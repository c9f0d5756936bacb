import { expect, it } from "vitest";
import { Fraction, least, most } from "../src/fraction.ts";

const third = Fraction.of(1, 3);
const half = Fraction.of(1, 2);

it("reckons exactly", () => {
  expect(String(third.plus(half))).toBe("5/6");
  expect(String(third.minus(half))).toBe("-1/6");
  expect(String(third.times(half))).toBe("1/6");
  expect(String(third.over(half))).toBe("2/3");
  expect(
    String(
      Fraction.of(2 ** 53 - 1)
        .times(third)
        .times(Fraction.of(3)),
    ),
  ).toBe("9007199254740991/1");
});

it("rounds down and up, below 0 too", () => {
  expect([third.floor(), third.ceiling()]).toEqual([0, 1]);
  const below = Fraction.of(-4, 3);
  expect([below.floor(), below.ceiling()]).toEqual([-2, -1]);
  expect([Fraction.of(-6, 3).floor(), Fraction.of(6, 3).ceiling()]).toEqual([-2, 2]);
});

it("compares", () => {
  expect(third.fits(half)).toBe(true);
  expect(half.fits(third)).toBe(false);
  expect(half.fits(Fraction.of(2, 4))).toBe(true);
  expect(least(half, third)).toBe(third);
  expect(most(half, third)).toBe(half);
});

it("divides by nothing that is not above 0", () => {
  expect(() => half.over(Fraction.of(0))).toThrow(RangeError);
});
