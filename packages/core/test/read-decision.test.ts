import { describe, expect, it } from "vitest";
import { readRequest } from "../src/ask.js";
import type { ConsumeOptions } from "../src/limiter.js";
import { membersOf } from "../src/members.js";
import { memoryStore } from "../src/memory-store.js";
import { readDecision } from "../src/read-decision.js";
import type { Outcome } from "../src/store.js";
import { keyedTally } from "./keyed-tally.js";

const NOW_MS = 10_000;
/** What a tally says of two units used since a second. */
const FACTS = [2, 9_000];
const UNTIL_MS = NOW_MS + 30_000;
const limiter = keyedTally({ name: "api", limit: 5, window: 3_000, perKey: true, store: memoryStore() });
const [member] = membersOf(limiter) ?? [];

function read(outcome: Partial<Outcome>, options: ConsumeOptions = {}, isCharged = true) {
  if (member === undefined) throw new Error("a limiter has a limit");
  const request = readRequest("api", options, true);
  return readDecision(
    "api",
    member.limit,
    "ada",
    request,
    { taken: 1, nowMs: NOW_MS, facts: FACTS, ...outcome },
    isCharged,
  );
}

describe("a decision", () => {
  it("of a call that was charged has a receipt, and what is left", () => {
    expect(read({})).toMatchObject({
      allowed: true,
      reason: "allowed",
      limit: 5,
      windowMs: 3_000,
      taken: 1,
      cost: 1,
      remaining: 3,
      retryAfterMs: 0,
      resetAfterMs: 2_000,
      decidedAtMs: NOW_MS,
      key: "ada",
      receipt: expect.stringMatching(/\.kty\.1\.2\.9000$/),
    });
  });

  it("of a call that was allowed and not charged took nothing", () => {
    expect(read({}, {}, false)).toMatchObject({ allowed: true, taken: 0, receipt: "" });
  });

  it("of a denial says when the call will pass", () => {
    expect(read({ taken: -1 })).toMatchObject({
      reason: "limited",
      retryAfterMs: 2_000,
      taken: 0,
      receipt: "",
    });
  });

  it("of a denial that blocks promises what is longer: the block or the limit's own wait", () => {
    const denial = { taken: -1, blockedUntilMs: UNTIL_MS };
    expect(read(denial)).toMatchObject({ reason: "limited", retryAfterMs: 30_000, remaining: 0 });
    expect(read({ ...denial, blockedUntilMs: NOW_MS + 1 })).toMatchObject({ retryAfterMs: 2_000 });
  });

  it("of a blocked call says so, has nothing remaining, and waits for the limit too where that denies", () => {
    const brief = { blockedUntilMs: NOW_MS + 500 };
    const blocked = { allowed: false, reason: "blocked", remaining: 0, taken: 0, receipt: "" };
    expect(read({ taken: -2, ...brief })).toMatchObject({
      ...blocked,
      retryAfterMs: 500,
      resetAfterMs: 2_000,
    });
    expect(read({ taken: -3, ...brief })).toMatchObject({ ...blocked, retryAfterMs: 2_000 });
    expect(read({ taken: -3, blockedUntilMs: UNTIL_MS })).toMatchObject({ ...blocked, resetAfterMs: 30_000 });
  });

  it("of a call that can never pass says that, blocked or not", () => {
    const never = { reason: "never", retryAfterMs: Number.POSITIVE_INFINITY };
    expect(read({ taken: -1 }, { cost: 6 })).toMatchObject(never);
    expect(read({ taken: -3, blockedUntilMs: UNTIL_MS }, { cost: 6 })).toMatchObject(never);
  });

  it("is told by the policy that decided, where that was the key's own", () => {
    expect(read({ params: [100, 9_000] }, { cost: 60 })).toMatchObject({
      allowed: true,
      limit: 100,
      windowMs: 9_000,
      remaining: 98,
      resetAfterMs: 8_000,
    });
    expect(read({ taken: -1, params: [2, 9_000] }, { cost: 3 })).toMatchObject({ reason: "never", limit: 2 });
  });
});
