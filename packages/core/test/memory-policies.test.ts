import { describe, expect, it } from "vitest";
import { PolicyNotFoundError } from "../src/errors.js";
import { membersOf } from "../src/members.js";
import { MemoryPolicies } from "../src/memory-policies.js";
import { memoryStore } from "../src/memory-store.js";
import type { KeyPolicy } from "../src/store.js";
import { manualClock } from "../src/testing.js";
import { keyedTally } from "./keyed-tally.js";

const POLICY: KeyPolicy = { fields: { limit: "100", windowMs: "60000" }, params: [100, 60_000] };

const store = memoryStore();
const OWN = { name: "api", limit: 5, window: 1_000, store };

function limitOf(limiter: ReturnType<typeof keyedTally>) {
  const [member] = membersOf(limiter) ?? [];
  if (member === undefined) throw new Error("a limiter has a limit");
  return member.limit;
}

describe("policies in memory", () => {
  it("take the place of a limit's own", () => {
    const policies = new MemoryPolicies();
    const limit = limitOf(keyedTally({ ...OWN, perKey: true }));
    policies.set(limit, "ada", POLICY);
    expect(policies.get(limit, "ada")).toBe(POLICY);
    expect(policies.effective(limit, "ada")).toEqual({
      ...limit,
      params: [100, 60_000],
      limit: 100,
      windowMs: 60_000,
    });
    expect(policies.effective(limit, "bob")).toBe(limit);
    policies.set(limit, "ada", undefined);
    expect(policies.effective(limit, "ada")).toBe(limit);
  });

  it("mean nothing to a limit that has none for its keys", () => {
    const policies = new MemoryPolicies();
    const limit = limitOf(keyedTally(OWN));
    policies.set(limit, "ada", POLICY);
    expect(policies.effective(limit, "ada")).toBe(limit);
  });

  it("are missed where the limit has none of its own", () => {
    const policies = new MemoryPolicies();
    const limit = limitOf(keyedTally({ name: "api", perKey: true, store }));
    expect(() => policies.effective(limit, "ada")).toThrow(PolicyNotFoundError);
    policies.set(limit, "ada", POLICY);
    expect(policies.effective(limit, "ada")).toMatchObject({ limit: 100 });
  });

  it("are neither counted nor forgotten when the store is full, and do not lapse", async () => {
    const clock = manualClock(0);
    const store = memoryStore({ maxKeys: 2, clock });
    const limiter = keyedTally({ name: "api", perKey: true, store });
    const users = ["a", "b", "c", "d", "e"];
    for (const user of users) await limiter.setLimit(user, { limit: 100, window: "1m" });
    expect(store.size).toBe(0);
    for (const user of users) await limiter.consume(user);
    clock.advance(365 * 86_400_000);
    for (const user of users) expect(await limiter.peek(user)).toMatchObject({ limit: 100, remaining: 100 });
  });
});
