import { describe, expect, it } from "vitest";
import { NumberRows, widened } from "../src/number-rows.js";

describe("rows of numbers", () => {
  it.each([0, 1, 2, 3, 4, 8])("hold %i numbers each, however many rows there are", (width) => {
    const rows = new NumberRows(width);
    const numbers = (row: number): number[] => Array.from({ length: width }, (_, i) => row * 10 + i);
    for (let row = 0; row < 1_000; row++) rows.set(row, numbers(row));
    for (let row = 0; row < 1_000; row++) expect(rows.get(row)).toEqual(numbers(row));
  });

  it("hold dates, fractions and whatever else is a number", () => {
    const rows = new NumberRows(3);
    rows.set(0, [2 ** 53 - 1, -0.5, Number.NaN]);
    expect(rows.get(0)).toEqual([2 ** 53 - 1, -0.5, Number.NaN]);
  });
});

it("widens an array by as much as it has", () => {
  expect([...widened(new Float64Array([1, 2]))]).toEqual([1, 2, 0, 0]);
});
