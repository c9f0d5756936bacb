import { type CompositeDecision, type Decision, memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import fc from "fast-check";

/** A decision that allows 50 of 100 in a minute, but for what is said. */
export function decisionOf(said: Partial<Decision> = {}): Decision {
  return {
    allowed: true,
    limit: 100,
    windowMs: 60_000,
    remaining: 50,
    retryAfterMs: 0,
    resetAfterMs: 30_000,
    delayMs: 0,
    cost: 1,
    taken: 1,
    name: "burst",
    key: "a",
    decidedAtMs: 0,
    reason: "allowed",
    source: "store",
    receipt: "",
    ...said,
  };
}

/** A denial. */
export function denialOf(retryAfterMs: number, said: Partial<Decision> = {}): Decision {
  return decisionOf({ allowed: false, remaining: 0, taken: 0, reason: "limited", retryAfterMs, ...said });
}

/** What several limits decide together; the first of them decides. */
export function compositeOf(first: Decision, ...others: Decision[]): CompositeDecision {
  return { ...first, limits: Object.fromEntries([first, ...others].map((limit) => [limit.name, limit])) };
}

/** A store of its own, whose clock stands still. */
export function stillStore() {
  return memoryStore({ clock: manualClock(1_700_000_000_000) });
}

/** Waits, windows and the like, in whole milliseconds. */
export const spanMs: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 1, max: 10_000 }),
  fc.integer({ min: 1, max: 2 ** 52 }),
);
