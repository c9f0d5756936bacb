import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { alarmAt } from "../src/alarm.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const YEAR_MS = 365 * 86_400_000;

describe("an alarm", () => {
  it("rings once its time has come, and no sooner", () => {
    const ring = vi.fn();
    alarmAt(performance.now() + 100, ring);
    vi.advanceTimersByTime(99);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("takes a time beyond 2^31 - 1 ms in pieces", () => {
    const ring = vi.fn();
    const set = vi.spyOn(globalThis, "setTimeout");
    alarmAt(performance.now() + YEAR_MS, ring);
    vi.advanceTimersByTime(YEAR_MS - 1);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledOnce();
    for (const [, delayMs] of set.mock.calls) expect(delayMs).toBeLessThanOrEqual(2 ** 31 - 1);
    expect(set.mock.calls.length).toBeLessThan(30);
  });

  it("is set again where its timer fires early, without spinning", () => {
    const ring = vi.fn();
    const now = vi.spyOn(performance, "now").mockReturnValue(0);
    alarmAt(100, ring);
    now.mockReturnValue(99.2);
    vi.advanceTimersByTime(100);
    expect(ring).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(1);
    now.mockReturnValue(100.2);
    vi.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledOnce();
  });

  it("does not ring once it is called off", () => {
    const ring = vi.fn();
    alarmAt(performance.now() + 100, ring)();
    vi.advanceTimersByTime(200);
    expect(ring).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits for ever for what never comes, in pieces too", () => {
    const ring = vi.fn();
    const callOff = alarmAt(Number.POSITIVE_INFINITY, ring);
    vi.advanceTimersByTime(YEAR_MS);
    expect(ring).not.toHaveBeenCalled();
    callOff();
  });
});
