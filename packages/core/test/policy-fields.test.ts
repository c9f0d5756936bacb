import { describe, expect, it } from "vitest";
import { fieldsOf, fieldValue, optionsIn } from "../src/policy-fields.js";

describe("the fields of a policy", () => {
  it("are text, one each for a number, a word, and each part of an option", () => {
    const data = { capacity: 20, anchor: "first", refill: { tokens: 5, everyMs: 1_000 } };
    expect(fieldsOf(data)).toEqual({
      capacity: "20",
      anchor: "first",
      "refill.tokens": "5",
      "refill.everyMs": "1000",
    });
  });

  it("lead back to the options, in whatever order they come", () => {
    const fields = { "refill.everyMs": "1000", capacity: "20", anchor: "first", "refill.tokens": "5" };
    expect(optionsIn(fields)).toEqual({ capacity: 20, anchor: "first", refill: { tokens: 5, every: 1_000 } });
  });

  it("stand for numbers where they are digits alone", () => {
    expect(["0", "42", "007"].map(fieldValue)).toEqual([0, 42, 7]);
  });

  it.each(["", " 5", "5 ", "-5", "+5", "5.0", "1e3", "0x10", "٣", "5\n", "Infinity", "first"])(
    "stand for themselves otherwise: %j",
    (text) => {
      expect(fieldValue(text)).toBe(text);
    },
  );

  it("may be called whatever people think of", () => {
    const odd = Object.fromEntries([
      ["__proto__", "1"],
      ["constructor", "2"],
      ["", "3"],
      ["a.__proto__", "4"],
    ]);
    const options = optionsIn(odd);
    expect(Object.entries(options).map(([name]) => name)).toEqual(["__proto__", "constructor", "", "a"]);
    expect(Object.getPrototypeOf(options)).toBe(Object.prototype);
  });
});
