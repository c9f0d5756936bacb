import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryTable } from "../src/memory-table.js";
import { Sweeper } from "../src/sweeper.js";
import { manualClock } from "../src/testing.js";

function tableOf(rows: number, lapsesAtMs: number): MemoryTable<number> {
  const table = new MemoryTable<number>();
  for (let row = 0; row < rows; row++) table.add(`${lapsesAtMs}/${row}`, row, lapsesAtMs);
  return table;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a sweeper", () => {
  it("deletes lapsed rows of every table, and no others", () => {
    const tables = [tableOf(3, 2_000), tableOf(3, 1_000), tableOf(0, 0), tableOf(3, 1_001)];
    new Sweeper(
      () => tables,
      () => 1_000,
    ).start();
    vi.advanceTimersByTime(10_000);
    expect(tables.map(({ size }) => size)).toEqual([3, 0, 0, 3]);
  });

  it("deletes within 10 s a hundred thousand that lapse at once, a slice at a time", () => {
    const clock = manualClock(0);
    const table = tableOf(100_000, 1_000);
    new Sweeper(() => [table], clock).start();
    vi.advanceTimersByTime(5_000);
    expect(table.size).toBe(100_000);
    clock.set(1_000);
    const sizes = new Set<number>();
    for (let passedMs = 0; passedMs < 10_000; passedMs++) {
      vi.advanceTimersByTime(1);
      sizes.add(table.size);
    }
    expect(table.size).toBe(0);
    expect(sizes.size).toBeGreaterThanOrEqual(20);
  });

  it("sets one timer at a time, and none that lasts longer than a pass", () => {
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    const sweeper = new Sweeper(
      () => [tableOf(1, 2 ** 52)],
      () => 0,
    );
    sweeper.start();
    sweeper.start();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(vi.getTimerCount()).toBe(1);
    expect(Math.max(...setTimer.mock.calls.map(([, delayMs]) => delayMs ?? 0))).toBeLessThanOrEqual(10_000);
  });

  it("rests while there are no rows, and goes on when it is started again", () => {
    const tables = [tableOf(5, 0)];
    const sweeper = new Sweeper(
      () => tables,
      () => 0,
    );
    sweeper.start();
    vi.advanceTimersByTime(10_000);
    expect(vi.getTimerCount()).toBe(0);
    tables.push(tableOf(5, 0));
    sweeper.start();
    vi.advanceTimersByTime(10_000);
    expect(tables.map(({ size }) => size)).toEqual([0, 0]);
  });

  it("survives a clock that fails, and sweeps once it tells the time again", () => {
    const table = tableOf(5, 1_000);
    const clock = vi.fn(() => 1_000);
    clock.mockImplementationOnce(() => {
      throw new Error("no time");
    });
    new Sweeper(() => [table], clock).start();
    expect(() => vi.advanceTimersByTime(10_000)).not.toThrow();
    expect(table.size).toBe(0);
  });

  it("makes room at once for a caller who needs it, and says how much", () => {
    const table = tableOf(10, 1_000);
    const clock = manualClock(999);
    const sweeper = new Sweeper(() => [table], clock);
    expect(sweeper.sweepSome()).toBe(0);
    clock.advance(1);
    expect(sweeper.sweepSome()).toBe(10);
  });
});
