import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryTable } from "../src/memory-table.js";
import { limitOf } from "./limit-of.js";

/** What a table holds, by key. */
function contents(table: MemoryTable<number>, keys: readonly string[]): [string, number, number][] {
  return keys.flatMap((key) => {
    const row = table.find(key);
    return row === undefined ? [] : [[key, table.state(row) ?? Number.NaN, table.lapsesAtMs(row)]];
  });
}

describe("a table", () => {
  it("finds what was added", () => {
    const table = new MemoryTable<string>();
    table.add("a", "state of a", 1_000);
    const row = table.find("a") ?? -1;
    expect([table.state(row), table.lapsesAtMs(row), table.size]).toEqual(["state of a", 1_000, 1]);
    expect(table.find("b")).toBeUndefined();
  });

  it("tells a state until it lapses", () => {
    const table = new MemoryTable<string>();
    table.add("a", "state of a", 1_000);
    expect(table.liveState(table.find("a"), 999)).toBe("state of a");
    expect(table.liveState(table.find("a"), 1_000)).toBeUndefined();
    expect(table.liveState(table.find("b"), 0)).toBeUndefined();
  });

  it("tells the limit under which a state was written last, wherever its row is", () => {
    const [one, other] = [limitOf("one"), limitOf("other")];
    const table = new MemoryTable<number>();
    table.add("a", 1, 1_000, other);
    table.add("b", 1, 1_000, other);
    table.update(table.find("b") ?? -1, 2, 1_000, one);
    table.delete(table.find("a") ?? -1);
    expect(table.limit(table.find("b") ?? -1)).toBe(one);
  });

  it("fills a deleted row with the last", () => {
    const table = new MemoryTable<number>();
    for (const key of ["a", "b", "c"]) table.add(key, key.charCodeAt(0), 1_000);
    table.delete(table.find("a") ?? -1);
    expect(contents(table, ["a", "b", "c"])).toEqual([
      ["b", 98, 1_000],
      ["c", 99, 1_000],
    ]);
    expect([0, 1].map((row) => table.state(row))).toEqual([99, 98]);
  });

  it("leaves alone what it holds where a row is not there", () => {
    const table = new MemoryTable<number>();
    for (const key of ["a", "b"]) table.add(key, key.charCodeAt(0), 1_000);
    for (const row of [-1, 2, 100]) table.delete(row);
    expect(table.size).toBe(2);
    expect(contents(table, ["a", "b"])).toEqual([
      ["a", 97, 1_000],
      ["b", 98, 1_000],
    ]);
  });

  it("keeps its books as a plain map would, through random adds, updates and deletes", () => {
    const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`);
    const step = fc.record({
      key: fc.constantFrom(...keys),
      remove: fc.boolean(),
      state: fc.nat(),
      lapsesAtMs: fc.maxSafeNat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const table = new MemoryTable<number>();
        const model = new Map<string, [number, number]>();
        for (const { key, remove, state, lapsesAtMs } of steps) {
          const row = table.find(key);
          if (remove && row !== undefined) {
            table.delete(row);
            model.delete(key);
          } else if (!remove) {
            if (row === undefined) table.add(key, state, lapsesAtMs);
            else table.update(row, state, lapsesAtMs);
            model.set(key, [state, lapsesAtMs]);
          }
        }
        expect(table.size).toBe(model.size);
        expect(new Map(contents(table, keys).map(([key, ...rest]) => [key, rest]))).toEqual(model);
        expect(new Set([...model.keys()].map((key) => table.find(key))).size).toBe(model.size);
      }),
    );
  });
});
