import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Breaker } from "../src/breaker.js";
import { InvalidPolicyError } from "../src/errors.js";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

const broken = new Error("broken");

function fail(breaker: Breaker, times: number): void {
  for (let i = 0; i < times; i++) breaker.admit()?.(broken);
}

describe("a breaker", () => {
  it("lets calls pass while fewer than that many failed in a row", () => {
    const breaker = new Breaker({ failures: 3 });
    fail(breaker, 2);
    breaker.admit()?.(undefined);
    fail(breaker, 2);
    expect(breaker.admit()).toBeDefined();
    expect(breaker.health).toEqual({
      state: "closed",
      failuresInARow: 2,
      retryAfterMs: 0,
      cooldownMs: 1_000,
      lastError: broken,
    });
  });

  it("lets none pass from then on until it has cooled down", () => {
    const breaker = new Breaker({ failures: 3, cooldownMs: 100 });
    fail(breaker, 3);
    expect(breaker.health).toMatchObject({ state: "open", failuresInARow: 3, retryAfterMs: 100 });
    vi.advanceTimersByTime(99);
    expect(breaker.admit()).toBeUndefined();
    expect(breaker.health.retryAfterMs).toBe(1);
  });

  it("then lets one pass alone, and all once that one was answered", () => {
    const breaker = new Breaker({ failures: 1, cooldownMs: 100 });
    fail(breaker, 1);
    vi.advanceTimersByTime(100);
    const probe = breaker.admit();
    expect(breaker.health).toMatchObject({ state: "half-open", retryAfterMs: 0 });
    expect(breaker.admit()).toBeUndefined();
    probe?.(undefined);
    expect(breaker.health).toEqual({
      state: "closed",
      failuresInARow: 0,
      retryAfterMs: 0,
      cooldownMs: 100,
      lastError: undefined,
    });
    expect(breaker.admit()).toBeDefined();
  });

  it("cools down anew where that one failed", () => {
    const breaker = new Breaker({ failures: 2, cooldownMs: 100 });
    fail(breaker, 2);
    vi.advanceTimersByTime(100);
    fail(breaker, 1);
    expect(breaker.health).toMatchObject({ state: "open", failuresInARow: 3, retryAfterMs: 100 });
  });

  it("learns nothing from calls that began before it opened", () => {
    const breaker = new Breaker({ failures: 1, cooldownMs: 100 });
    const [early, late] = [breaker.admit(), breaker.admit()];
    fail(breaker, 1);
    vi.advanceTimersByTime(50);
    early?.(undefined);
    late?.(broken);
    expect(breaker.health).toMatchObject({ state: "open", failuresInARow: 1, retryAfterMs: 50 });
  });

  it("lets the next call probe where the one that was to was never sent", () => {
    const breaker = new Breaker({ failures: 1, cooldownMs: 100 });
    fail(breaker, 1);
    vi.advanceTimersByTime(100);
    breaker.admit()?.("withdrawn");
    const probe = breaker.admit();
    expect(breaker.health.state).toBe("half-open");
    probe?.(undefined);
    breaker.admit()?.("withdrawn");
    expect(breaker.health).toMatchObject({ state: "closed", failuresInARow: 0 });
  });

  it("opens after 5 failures for 1 s unless told otherwise", () => {
    const breaker = new Breaker();
    fail(breaker, 4);
    expect(breaker.health.state).toBe("closed");
    fail(breaker, 1);
    expect(breaker.health).toMatchObject({ state: "open", retryAfterMs: 1_000 });
  });

  it.each([{ failures: 0 }, { failures: 1.5 }, { cooldownMs: 0 }, { cooldownMs: 2 ** 31 }, { failure: 5 }])(
    "refuses %j",
    (options) => {
      expect(() => new Breaker(options)).toThrow(InvalidPolicyError);
    },
  );

  it("says what would be right", () => {
    expect(() => new Breaker({ failures: 0 })).toThrow(
      "redis store: breaker.failures must be a whole number from 1 to 2147483647, got 0",
    );
  });
});
