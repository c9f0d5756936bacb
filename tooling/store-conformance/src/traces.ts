import { Actor, anyTraffic, check, operationsOf } from "@sluice/algorithm-proof";
import { type Decision, memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { expect } from "vitest";
import { Bench } from "./bench.ts";
import type { Check, Topic } from "./check.ts";

const TRACES = 20;

/** Policies of small and large limits, of short and long windows. */
const policies = fc.constantFrom(
  { limit: 10, windowMs: 60_000 },
  { limit: 3, windowMs: 1_000 },
  { limit: 1, windowMs: 7 },
  { limit: 1_000, windowMs: 86_400_000 },
);

const asInMemory: Check = {
  title: "decides random traffic, under a clock that steps both ways, as the memory store does",
  ofConnections: "for each",
  async run({ candidate, algorithm }) {
    const property = fc.asyncProperty(policies, anyTraffic, async (policy, traffic) => {
      const bench = new Bench(candidate, algorithm);
      const joined = new Actor(bench.limiter(policy.limit, policy.windowMs), bench.clock);
      const clock = manualClock(bench.clock());
      const store = memoryStore({ clock });
      const reference = new Actor(algorithm.make({ ...policy, name: "proof", store }), clock);
      for (const operation of operationsOf(traffic, joined.limiter.policy)) {
        const decision = await joined.perform(operation);
        const expected = await reference.perform(operation);
        expect(decision && told(decision)).toEqual(expected && told(expected));
      }
    });
    await check(property, TRACES);
  },
};

/** What a Decision says: each has a receipt of its own. */
function told({ receipt, ...rest }: Decision): Omit<Decision, "receipt"> & { hasReceipt: boolean } {
  return { ...rest, hasReceipt: receipt !== "" };
}

/** The same trace on every store. */
export const traces: Topic = { title: "traces", checks: [asInMemory] };
