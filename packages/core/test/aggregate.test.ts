import { describe, expect, it } from "vitest";
import { deciding } from "../src/aggregate.js";
import type { Decision } from "../src/decision.js";

const NEVER = Number.POSITIVE_INFINITY;

function allowed(name: string, remaining: number, cost = 1): Decision {
  return { ...denied(name, 0), allowed: true, remaining, cost, taken: cost, reason: "allowed" };
}

function denied(name: string, retryAfterMs: number): Decision {
  return {
    allowed: false,
    limit: 100,
    windowMs: 1000,
    remaining: 0,
    retryAfterMs,
    resetAfterMs: 0,
    delayMs: 0,
    cost: 1,
    taken: 0,
    name,
    key: "a",
    decidedAtMs: 0,
    reason: "limited",
    source: "store",
    receipt: "",
  };
}

describe("of several limits, that one decides", () => {
  it("which denies", () => {
    expect(deciding([allowed("a", 0), denied("b", 5), allowed("c", 0)]).name).toBe("b");
  });

  it("which denies for longest", () => {
    expect(deciding([denied("a", 5), denied("b", 7), denied("c", 6)]).name).toBe("b");
  });

  it("which can never allow the call, before any that only lets it wait", () => {
    expect(deciding([denied("a", Number.MAX_SAFE_INTEGER), denied("b", NEVER)]).name).toBe("b");
  });

  it("which can allow the same call the fewest times more, if all allow it", () => {
    expect(deciding([allowed("a", 10, 1), allowed("b", 50, 10), allowed("c", 6, 1)]).name).toBe("b");
  });

  it("which counts whole calls only", () => {
    expect(deciding([allowed("a", 19, 10), allowed("b", 1, 1)]).name).toBe("a");
    expect(deciding([allowed("a", 20, 10), allowed("b", 1, 1)]).name).toBe("b");
  });

  it("which has the fewest left, of calls that cost nothing", () => {
    expect(deciding([allowed("a", 9, 0), allowed("b", 7, 0), allowed("c", 8, 0)]).name).toBe("b");
  });

  it("which was named first, of those that are alike", () => {
    expect(deciding([denied("a", 5), denied("b", 9), denied("c", 9)]).name).toBe("b");
    expect(deciding([denied("a", NEVER), denied("b", NEVER)]).name).toBe("a");
    expect(deciding([allowed("a", 3), allowed("b", 2), allowed("c", 2)]).name).toBe("b");
  });

  it("and it is told as it decided", () => {
    const decision = allowed("b", 1);
    expect(deciding([allowed("a", 2), decision])).toBe(decision);
  });
});

it("nothing decides where there is no limit", () => {
  expect(() => deciding([])).toThrow(TypeError);
});
