import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { monotonicClock, readClock } from "../src/clock.js";
import { StoreError } from "../src/errors.js";

describe("the monotonic clock", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("tells whole milliseconds since the epoch", () => {
    const nowMs = monotonicClock()();
    expect(nowMs).toBe(Math.floor(nowMs));
    expect(Math.abs(nowMs - Date.now())).toBeLessThanOrEqual(50);
  });

  it("goes on, and never back", async () => {
    const clock = monotonicClock();
    const startMs = clock();
    let backward = 0;
    for (let i = 0, latestMs = startMs; i < 100_000; i++) {
      const nowMs = clock();
      if (nowMs < latestMs) backward++;
      latestMs = nowMs;
    }
    expect(backward).toBe(0);
    await sleep(20);
    expect(clock() - startMs).toBeGreaterThanOrEqual(19);
  });

  it("does not step when the system's clock is set", () => {
    const clock = monotonicClock();
    const before = clock();
    vi.setSystemTime(0);
    expect(clock() - before).toBeLessThan(1_000);
    expect(clock()).toBeGreaterThanOrEqual(before);
  });

  it("does not follow a test's fake timers", () => {
    const clock = monotonicClock();
    const before = clock();
    vi.useFakeTimers({ now: 0, toFake: ["Date", "performance", "setTimeout"] });
    vi.advanceTimersByTime(3_600_000);
    expect(performance.now()).toBe(3_600_000);
    expect(clock() - before).toBeLessThan(1_000);
  });
});

describe("a clock that is passed", () => {
  it.each([
    [0, 0],
    [1_234, 1_234],
    [1_234.9, 1_234],
    [2 ** 53 - 1, 2 ** 53 - 1],
  ])("is read in whole milliseconds: %d is %i", (told, nowMs) => {
    expect(readClock("memory store", () => told)).toBe(nowMs);
  });

  it.each([-1, -0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
    "is refused where it tells %d: nothing was counted",
    (told) => {
      const read = () => readClock("memory store", () => told);
      expect(read).toThrow(StoreError);
      expect(read).toThrow(expect.objectContaining({ mayHaveCounted: false }));
      expect(read).toThrow("memory store: the clock must tell milliseconds since the epoch, got");
    },
  );
});
