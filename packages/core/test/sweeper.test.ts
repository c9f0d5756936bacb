import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryTable } from "../src/memory-table.js";
import { Sweeper } from "../src/sweeper.js";
import { manualClock } from "../src/testing.js";

function tableOf(rows: number, lapsesAtMs: number): MemoryTable<number> {
  const table = new MemoryTable<number>();
  for (let row = 0; row < rows; row++) table.add(`${lapsesAtMs}/${row}`, row, lapsesAtMs);
  return table;
}

/** Starts a sweeper, and waits until its timer is set: outside this test's async context. */
async function started(sweeper: Sweeper): Promise<void> {
  sweeper.start();
  await Promise.resolve();
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a sweeper", () => {
  it("deletes lapsed rows of every table, and no others", async () => {
    const tables = [tableOf(3, 2_000), tableOf(3, 1_000), tableOf(0, 0), tableOf(3, 1_001)];
    await started(
      new Sweeper(
        () => tables,
        () => 1_000,
      ),
    );
    vi.advanceTimersByTime(10_000);
    expect(tables.map(({ size }) => size)).toEqual([3, 0, 0, 3]);
  });

  it("deletes within 10 s a hundred thousand that lapse at once, a slice at a time", async () => {
    const clock = manualClock(0);
    const table = tableOf(100_000, 1_000);
    await started(new Sweeper(() => [table], clock));
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

  it("sets one timer at a time, and none that lasts longer than a pass", async () => {
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    const sweeper = new Sweeper(
      () => [tableOf(1, 2 ** 52)],
      () => 0,
    );
    sweeper.start();
    sweeper.start();
    await started(sweeper);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(vi.getTimerCount()).toBe(1);
    expect(Math.max(...setTimer.mock.calls.map(([, delayMs]) => delayMs ?? 0))).toBeLessThanOrEqual(10_000);
  });

  it("rests while there are no rows, and goes on when it is started again", async () => {
    const tables = [tableOf(5, 0)];
    const sweeper = new Sweeper(
      () => tables,
      () => 0,
    );
    await started(sweeper);
    vi.advanceTimersByTime(10_000);
    expect(vi.getTimerCount()).toBe(0);
    tables.push(tableOf(5, 0));
    await started(sweeper);
    vi.advanceTimersByTime(10_000);
    expect(tables.map(({ size }) => size)).toEqual([0, 0]);
  });

  it("survives a clock that fails, and sweeps once it tells the time again", async () => {
    const table = tableOf(5, 1_000);
    const clock = vi.fn(() => 1_000);
    clock.mockImplementationOnce(() => {
      throw new Error("no time");
    });
    await started(new Sweeper(() => [table], clock));
    expect(() => vi.advanceTimersByTime(10_000)).not.toThrow();
    expect(table.size).toBe(0);
  });

  it("makes room at once for a caller who needs it, and says how much", () => {
    const table = tableOf(10, 1_000);
    const sweeper = new Sweeper(() => [table], manualClock(0));
    expect(sweeper.sweepSome(999)).toBe(0);
    expect(sweeper.sweepSome(1_000)).toBe(10);
  });

  it.each([0, 1, 2, 3])("makes room wherever its passes have come to: after %i calls", (calls) => {
    const table = tableOf(1_000, 2_000);
    const sweeper = new Sweeper(() => [table], manualClock(0));
    for (let call = 0; call < calls; call++) sweeper.sweepSome(0);
    table.update(0, 0, 1_000);
    expect(sweeper.sweepSome(1_000)).toBe(1);
  });
});
