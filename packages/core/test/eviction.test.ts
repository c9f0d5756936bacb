import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { evictLeastUsed } from "../src/eviction.js";
import { MemoryTable } from "../src/memory-table.js";
import { limitOf } from "./limit-of.js";
import type { TallyState } from "./tiny-algorithm.js";

/** A key for each number of units used. */
function tableOf(limit: number, ...used: number[]): MemoryTable<TallyState> {
  const table = new MemoryTable<TallyState>();
  for (const units of used) table.add(`${units}`, [units, 0], 3_600_000, limitOf("api", limit));
  return table;
}

function evict(count: number, ...tables: MemoryTable<TallyState>[]): void {
  for (let i = 0; i < count; i++) evictLeastUsed(tables, [], 0);
}

// so few rows are sampled one and all
beforeEach(() => {
  let samples = 0;
  vi.spyOn(Math, "random").mockImplementation(() => (samples++ % 16) / 16);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("the row that is forgotten", () => {
  it("has used the smallest share of its limit among those that were sampled", () => {
    const table = tableOf(10, 10, 1);
    evict(1, table);
    expect(table.find("10")).toBe(0);
  });

  it("is judged by its own limit, whatever the others have", () => {
    const table = tableOf(10, 10);
    for (let row = 0; row < 15; row++) table.add(`vast:${row}`, [50, 0], 3_600_000, limitOf("api", 10_000));
    evict(15, table);
    expect(table.find("10")).toBe(0);
  });

  it("is found in any table", () => {
    const [small, large] = [tableOf(10, 10), tableOf(1_000, 20)];
    evict(1, small, tableOf(10), large);
    expect([small.size, large.size]).toEqual([1, 0]);
  });

  it("counts as used up where the limit is 0", () => {
    const [closed, open] = [tableOf(0, 5), tableOf(10, 9)];
    evict(1, closed, open);
    expect([closed.size, open.size]).toEqual([1, 0]);
  });

  it("is one that has lapsed, rather than one that has not", () => {
    const table = tableOf(10, 1);
    table.add("lapsed", [10, -3_600_000], 0, limitOf("api"));
    evict(1, table);
    expect(table.find("lapsed")).toBeUndefined();
  });

  it("may be a block, which counts as used up", () => {
    const [states, blocks] = [tableOf(10, 9), new MemoryTable<TallyState>()];
    blocks.add("blocked", [0, 0], 3_600_000);
    evictLeastUsed([states], [blocks], 0);
    expect([states.size, blocks.size]).toEqual([0, 1]);
    evictLeastUsed([states], [blocks], 0);
    expect(blocks.size).toBe(0);
  });

  it("is none where there are no rows", () => {
    const table = tableOf(10);
    evictLeastUsed([], [], 0);
    evictLeastUsed([table], [], 0);
    expect(table.size).toBe(0);
  });
});
