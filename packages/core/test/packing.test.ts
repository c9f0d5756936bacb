import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packNumbers, unpackNumbers } from "../src/packing.js";

const whole = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, 1, -1, 2 ** 53 - 1, 1 - 2 ** 53));

describe("packed numbers", () => {
  it("come back as they were, exactly", () => {
    fc.assert(
      fc.property(fc.array(whole), (numbers) => {
        expect(unpackNumbers(packNumbers(numbers), numbers.length)).toEqual(numbers);
      }),
    );
  });

  it("are little-endian doubles, one list after the other", () => {
    const bytes = packNumbers([1], [], [-2, 3]);
    const view = new DataView(bytes.buffer);
    expect([0, 8, 16].map((offset) => view.getFloat64(offset, true))).toEqual([1, -2, 3]);
    expect(bytes.length).toBe(24);
  });

  it("are read where they lie in a larger buffer", () => {
    const whole = new Uint8Array(3 + 16 + 5);
    whole.set(packNumbers([7, 8]), 3);
    expect(unpackNumbers(whole.subarray(3, 19), 2)).toEqual([7, 8]);
  });

  it.each([0, 7, 8, 15, 17, 24])("are not %i bytes where two numbers are expected", (length) => {
    expect(unpackNumbers(new Uint8Array(length), 2)).toBeUndefined();
  });

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    "are not %d, which is not exact",
    (number) => {
      expect(unpackNumbers(packNumbers([1, number]), 2)).toBeUndefined();
    },
  );
});
