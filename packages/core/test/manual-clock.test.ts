import { describe, expect, it } from "vitest";
import { InvalidPolicyError } from "../src/errors.js";
import { manualClock } from "../src/testing.js";

describe("a manual clock", () => {
  it("stands still until it is told to move", () => {
    const clock = manualClock(1_000);
    expect([clock(), clock()]).toEqual([1_000, 1_000]);
  });

  it("advances, goes back and is set", () => {
    const clock = manualClock(1_000);
    clock.advance(250);
    expect(clock()).toBe(1_250);
    clock.advance(-500);
    expect(clock()).toBe(750);
    clock.set(42);
    expect(clock()).toBe(42);
  });

  it("is one of its own each time", () => {
    const [one, other] = [manualClock(0), manualClock(0)];
    one.advance(1);
    expect([one(), other()]).toEqual([1, 0]);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("refuses to stand at %d", (ms) => {
    expect(() => manualClock(ms)).toThrow(InvalidPolicyError);
    expect(() => manualClock(0).set(ms)).toThrow(InvalidPolicyError);
    expect(() => manualClock(0).advance(ms)).toThrow(InvalidPolicyError);
  });

  it("stays where it was when it is told nonsense", () => {
    const clock = manualClock(5);
    expect(() => clock.advance(-6)).toThrow(
      "a clock must stand at whole milliseconds from 0 to 2^53 - 1, got -1",
    );
    expect(clock()).toBe(5);
  });
});
