import { afterEach, describe, expect, it, vi } from "vitest";
import { compose } from "../src/compose.js";
import { InvalidKeyError, InvalidPolicyError, PolicyNotFoundError } from "../src/errors.js";
import { memoryStore } from "../src/memory-store.js";
import type { Store } from "../src/store.js";
import { manualClock } from "../src/testing.js";
import { keyedTally } from "./keyed-tally.js";
import { useStores } from "./stores.js";
import { tally } from "./tiny-algorithm.js";

const DEFAULT = { limit: 5, window: 1_000 };

/** A limiter with a policy for keys that have none. */
function withDefault(store: Store) {
  return keyedTally({ name: "api", ...DEFAULT, perKey: true, store });
}

function withoutDefault(store: Store) {
  return keyedTally({ name: "api", perKey: true, store });
}

describe.each(await useStores())("the policy of a key on $kind", ({ make }) => {
  it("holds from the next call on, for that key alone", async () => {
    const limiter = withDefault(make().store);
    await limiter.setLimit("ada", { limit: 100, window: "1m" });
    expect(await limiter.consume("ada")).toMatchObject({ limit: 100, windowMs: 60_000, remaining: 99 });
    expect(await limiter.consume("bob")).toMatchObject({ limit: 5, windowMs: 1_000, remaining: 4 });
  });

  it("holds for every limiter of that name on the store", async () => {
    const { store } = make();
    await withoutDefault(store).setLimit(["ada", "eu"], { limit: 100, window: "1m" });
    expect(await withDefault(store).peek(["ada", "eu"])).toMatchObject({ limit: 100, remaining: 100 });
  });

  it("keeps what is used: a limit raised by 5 is 5 more, one lowered below what is used denies", async () => {
    const limiter = withDefault(make().store);
    await limiter.consume("ada", { cost: 5 });
    await limiter.setLimit("ada", { limit: 10, window: 1_000 });
    expect(await limiter.consume("ada", { cost: 5 })).toMatchObject({ allowed: true, remaining: 0 });
    await limiter.setLimit("ada", { limit: 9, window: 1_000 });
    expect(await limiter.consume("ada")).toMatchObject({ allowed: false, remaining: 0 });
    await limiter.clearLimit("ada");
    expect(await limiter.consume("ada")).toMatchObject({ allowed: false, limit: 5 });
  });

  it("is told as a limiter's own would be; nothing where there is none", async () => {
    const limiter = withDefault(make().store);
    expect(await limiter.getLimit("ada")).toBeUndefined();
    await limiter.setLimit("ada", { limit: 100, window: "1m" });
    expect(await limiter.getLimit("ada")).toEqual(limiter.with({ limit: 100, window: "1m" }).policy);
    expect(await limiter.getLimit("bob")).toBeUndefined();
    await limiter.clearLimit("ada");
    expect(await limiter.getLimit("ada")).toBeUndefined();
  });

  it("allows costs beyond the limiter's own limit", async () => {
    const limiter = withDefault(make().store);
    await limiter.setLimit("ada", { limit: 1_000, window: "1m" });
    expect(await limiter.consume("ada", { cost: 600, reserve: 300 })).toMatchObject({
      allowed: true,
      taken: 600,
      remaining: 400,
    });
    expect(await limiter.consume("ada", { cost: 900, atLeast: 400 })).toMatchObject({ taken: 400 });
  });

  it("says what can never pass, whatever the limiter's own limit", async () => {
    const limiter = withDefault(make().store);
    await limiter.setLimit("low", { limit: 2, window: "1m" });
    await limiter.setLimit("high", { limit: 100, window: "1m" });
    expect(await limiter.consume("low", { cost: 3 })).toMatchObject({ reason: "never" });
    await limiter.consume("high", { cost: 100 });
    expect(await limiter.consume("high", { cost: 100 })).toMatchObject({
      reason: "limited",
      retryAfterMs: 60_000,
    });
    expect(await limiter.peek("high", { cost: 100, reserve: 1 })).toMatchObject({ reason: "never" });
  });

  it("of limit 0 denies everything, even a cost of 0", async () => {
    const limiter = withDefault(make().store);
    await limiter.setLimit("banned", { limit: 0, window: "1m" });
    for (const cost of [0, 1, 6]) {
      const denial = { allowed: false, reason: "never", retryAfterMs: Number.POSITIVE_INFINITY, limit: 0 };
      expect(await limiter.consume("banned", { cost, atLeast: 0 })).toMatchObject(denial);
    }
  });

  it("survives a reset", async () => {
    const limiter = withDefault(make().store);
    await limiter.setLimit("ada", { limit: 100, window: "1m" });
    await limiter.consume("ada", { cost: 50 });
    await limiter.reset("ada");
    expect(await limiter.peek("ada")).toMatchObject({ limit: 100, remaining: 100 });
  });

  it("holds whatever `with` says of other keys", async () => {
    const limiter = withDefault(make().store);
    await limiter.setLimit("ada", { limit: 100, window: "1m" });
    const plan = limiter.with({ limit: 20 });
    expect(await plan.peek("ada")).toMatchObject({ limit: 100 });
    expect(await plan.peek("bob")).toMatchObject({ limit: 20, windowMs: 1_000 });
  });

  it("gives back what was granted under another one", async () => {
    const limiter = withDefault(make().store);
    const decision = await limiter.consume("ada", { cost: 4 });
    await limiter.setLimit("ada", { limit: 100, window: 1_000 });
    const settled = await limiter.settle(decision, 30);
    expect(settled).toMatchObject({ limit: 100, taken: 30, remaining: 70 });
    await limiter.clearLimit("ada");
    await limiter.refund(settled);
    expect(await limiter.peek("ada")).toMatchObject({ limit: 5, remaining: 5 });
  });

  it.each([
    ["a limit that is none", { limit: -1, window: "1m" }],
    ["a limit that is not whole", { limit: 1.5, window: "1m" }],
    ["a window that is none", { limit: 5, window: "soon" }],
    ["half a policy", { limit: 5 }],
    ["an option that there is not", { limit: 5, window: "1m", name: "other" }],
    ["nothing", undefined],
  ])("is refused where it is %s, and the present one stays", async (_, own) => {
    const limiter = withDefault(make().store);
    await limiter.setLimit("ada", { limit: 100, window: "1m" });
    // @ts-expect-error a caller without types
    await expect(limiter.setLimit("ada", own)).rejects.toThrow(InvalidPolicyError);
    expect(await limiter.getLimit("ada")).toMatchObject({ limit: 100 });
  });

  it("is for a key that there can be", async () => {
    const limiter = withDefault(make().store);
    await expect(limiter.setLimit("", DEFAULT)).rejects.toThrow(InvalidKeyError);
    await expect(limiter.getLimit([])).rejects.toThrow(InvalidKeyError);
    await expect(limiter.clearLimit(["a", ""])).rejects.toThrow(InvalidKeyError);
  });
});

describe.each(await useStores())("a key whose policy gets slower on $kind", ({ make }) => {
  it("is not forgotten before its next call", async () => {
    const { store, clock } = make();
    const limiter = withDefault(store);
    await limiter.consume("ada", { cost: 5 });
    await limiter.setLimit("ada", { limit: 5, window: "1h" });
    clock.advance(60_000);
    await expect.poll(() => limiter.peek("ada")).toMatchObject({ allowed: false, remaining: 0 });
    await limiter.setLimit("bob", { limit: 5, window: 10 });
    await limiter.consume("bob", { cost: 5 });
    await limiter.clearLimit("bob");
    clock.advance(500);
    expect(await limiter.peek("bob")).toMatchObject({ allowed: false, remaining: 0 });
  });
});

describe.each(await useStores())("a key without a policy, of a limiter without one, on $kind", ({ make }) => {
  it("is neither allowed nor denied", async () => {
    const limiter = withoutDefault(make().store);
    for (const asked of [limiter.consume("ada"), limiter.peek("ada"), limiter.consume("ada", { cost: 0 })]) {
      await expect(asked).rejects.toThrow(PolicyNotFoundError);
      await expect(asked).rejects.toMatchObject({ code: "ERR_SLUICE_POLICY_NOT_FOUND" });
    }
    await expect(limiter.consume("ada")).rejects.toThrow('limiter "api": no policy is set for this key');
  });

  it("can be refunded and settled once it has a policy again: till then both say that it has none", async () => {
    const limiter = withoutDefault(make().store);
    await limiter.setLimit("ada", DEFAULT);
    const first = await limiter.consume("ada", { cost: 2 });
    const second = await limiter.consume("ada", { cost: 2 });
    await limiter.clearLimit("ada");
    await expect(limiter.refund(first)).rejects.toThrow(PolicyNotFoundError);
    await expect(limiter.settle(second, 1)).rejects.toThrow(PolicyNotFoundError);
    await limiter.setLimit("ada", DEFAULT);
    await limiter.refund(first);
    expect(await limiter.settle(second, 1)).toMatchObject({ taken: 1, remaining: 4 });
  });

  it("can be reset", async () => {
    await expect(withoutDefault(make().store).reset("ada")).resolves.toBeUndefined();
  });

  it("says so in a composite, which then charges none of its limits", async () => {
    const { store } = make();
    const other = tally({ name: "other", ...DEFAULT, store });
    const limits = compose([other, withoutDefault(store)]);
    await expect(limits.consume("ada")).rejects.toThrow(PolicyNotFoundError);
    await expect(limits.consume("ada")).rejects.toThrow('limiter "api": no policy is set for this key');
    expect(await other.peek("ada")).toMatchObject({ remaining: 5 });
  });
});

it.each(await useStores())("policies of keys hold in a composite on $kind", async ({ make }) => {
  const { store } = make();
  const keyed = withDefault(store);
  const limits = compose([tally({ name: "other", ...DEFAULT, store }), keyed]);
  await keyed.setLimit("ada", { limit: 2, window: "1m" });
  const decision = await limits.consume("ada", { cost: 2 });
  expect(decision).toMatchObject({ allowed: true, name: "api", limit: 2, windowMs: 60_000 });
  expect(decision.limits.other).toMatchObject({ limit: 5, remaining: 3 });
  await limits.refund(decision);
  expect(await keyed.peek("ada")).toMatchObject({ remaining: 2 });
});

describe("a refund", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("works once, also where a key's policy remembers the grant for longer than the limiter's own", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const limiter = withDefault(memoryStore({ clock: manualClock(1_000_000) }));
    const decision = await limiter.consume("ada", { cost: 2 });
    await limiter.setLimit("ada", { limit: 5, window: "1d" });
    await limiter.consume("ada", { cost: 2 });
    for (let hour = 0; hour < 5; hour++) {
      await limiter.refund(decision);
      vi.advanceTimersByTime(3_600_000);
    }
    expect(await limiter.peek("ada")).toMatchObject({ remaining: 3 });
  });
});

describe("the option perKey", () => {
  it.each(["yes", 1, null, {}])("is refused where it is %o", (perKey) => {
    // @ts-expect-error a caller without types
    expect(() => keyedTally({ name: "api", ...DEFAULT, perKey })).toThrow(
      'limiter "api": perKey must be true or false, got',
    );
  });

  it("is refused where the algorithm has no such policies", () => {
    expect(() => tally({ name: "api", ...DEFAULT, perKey: true })).toThrow(
      'limiter "api": tally cannot keep a policy for each key, so perKey must be left out',
    );
  });

  it("lets the limiter's own policy be left out, but not half of it", () => {
    expect(() => keyedTally({ name: "api", perKey: true })).not.toThrow();
    expect(() => keyedTally({ name: "api", limit: 5, perKey: true })).toThrow(InvalidPolicyError);
    // @ts-expect-error it may be left out only with perKey
    expect(() => keyedTally({ name: "api" })).toThrow(InvalidPolicyError);
  });

  it.each([false, undefined])("is needed for policies of keys: with %o there are none", async (perKey) => {
    const limiter = keyedTally({ name: "api", ...DEFAULT, perKey });
    // @ts-expect-error its type has no such method
    await expect(limiter.setLimit("ada", DEFAULT)).rejects.toThrow(
      'limiter "api": setLimit() needs the option perKey: true',
    );
    // @ts-expect-error nor this one
    await expect(limiter.getLimit("ada")).rejects.toThrow(InvalidPolicyError);
    // @ts-expect-error nor this one
    await expect(limiter.clearLimit("ada")).rejects.toThrow(InvalidPolicyError);
  });
});
