import { describe, expect, it } from "vitest";
import { byName, isOneForAll, none } from "../src/by-name.js";
import { InvalidKeyError } from "../src/errors.js";

const NAMES = ["constructor", "per-day"];

function costs(said: number | Readonly<Record<string, number>>): number[] {
  return NAMES.map(byName<number>("composite", NAMES, said, isOneForAll));
}

function keys(said: string | readonly string[] | Readonly<Record<string, string | readonly string[]>>) {
  return NAMES.map(byName<string | readonly string[]>("composite", NAMES, said, isOneForAll));
}

describe("what is said for each limit", () => {
  it("is one for all", () => {
    expect(costs(3)).toEqual([3, 3]);
    expect(keys("user:42")).toEqual(["user:42", "user:42"]);
  });

  it("is one for each, by name, in any order", () => {
    expect(costs({ "per-day": 1500, constructor: 1 })).toEqual([1, 1500]);
  });

  it("is an array for all where keys have parts, and an array for one", () => {
    expect(keys(["user", "42"])).toEqual([
      ["user", "42"],
      ["user", "42"],
    ]);
    expect(keys({ constructor: ["user", "42"], "per-day": "all" })).toEqual([["user", "42"], "all"]);
  });

  it("may be falsy", () => {
    expect(costs({ constructor: 0, "per-day": 0 })).toEqual([0, 0]);
    expect(keys({ constructor: "", "per-day": "a" })).toEqual(["", "a"]);
  });

  it("may come in an object without a prototype", () => {
    expect(costs(Object.assign(Object.create(null), { constructor: 1, "per-day": 2 }))).toEqual([1, 2]);
  });
});

describe("a record is refused", () => {
  it("without one of the names, though every object inherits a property of that name", () => {
    expect(() => costs({ "per-day": 1 })).toThrow(InvalidKeyError);
    expect(() => costs({})).toThrow(InvalidKeyError);
  });

  it("with a name that there is not", () => {
    expect(() => costs({ constructor: 1, "per-day": 2, "per-hour": 3 })).toThrow(InvalidKeyError);
    expect(() => costs({ constructor: 1, "per-day": 2, toString: 3 })).toThrow(InvalidKeyError);
  });

  it("with a name and nothing said for it", () => {
    // @ts-expect-error a caller without types
    expect(() => costs({ constructor: 1, "per-day": undefined })).toThrow(InvalidKeyError);
    // @ts-expect-error a caller without types
    expect(() => costs({ constructor: 1, "per-day": null })).toThrow(InvalidKeyError);
  });

  it("which is really a map", () => {
    // @ts-expect-error a caller without types
    expect(() => costs(new Map([["constructor", 1]]))).toThrow(InvalidKeyError);
  });

  it("saying what would be right", () => {
    expect(() => costs({ constructor: 1 })).toThrow(
      'composite: one for all limits was expected, or one for each of "constructor", "per-day", ' +
        'but "per-day" is missing',
    );
    expect(() => costs({ constructor: 1, "per-dya": 2 })).toThrow('but there is no "per-dya"');
  });
});

it("where it is always said by name, nothing is for all", () => {
  expect(none("decision")).toBe(false);
});
