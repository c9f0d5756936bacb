import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyIndex } from "../src/key-index.js";

describe("an index of keys", () => {
  it("finds what a plain map would, through random changes", () => {
    const step = fc.record({
      key: fc.string({ minLength: 1, maxLength: 3 }),
      row: fc.option(fc.nat(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const index = new KeyIndex();
        const model = new Map<string, number>();
        for (const { key, row } of steps) {
          if (row === undefined) {
            index.delete(key);
            model.delete(key);
          } else {
            index.set(key, row);
            model.set(key, row);
          }
        }
        for (const { key } of steps) expect(index.get(key)).toBe(model.get(key));
      }),
    );
  });

  it.each(["", "a", "ab", "a".repeat(16_384)])("takes keys of any length", (key) => {
    const index = new KeyIndex();
    expect(index.get(key)).toBeUndefined();
    index.set(key, 7);
    expect(index.get(key)).toBe(7);
  });
});
