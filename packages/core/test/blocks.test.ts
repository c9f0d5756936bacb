import { describe, expect, it } from "vitest";
import { compose } from "../src/compose.js";
import { InvalidKeyError, InvalidPolicyError } from "../src/errors.js";
import type { ConsumeOptions, ResetOptions } from "../src/limiter.js";
import { useStores } from "./stores.js";
import { tally } from "./tiny-algorithm.js";

const MINUTE_MS = 60_000;
const DENIED = { allowed: false, remaining: 0, taken: 0, receipt: "" };

describe.each(await useStores())("a block on $kind", ({ make }) => {
  /** At most 3 in 10 s, and whoever wants more waits for a minute. */
  function logIn(blockFor: string | number = "1m") {
    const { store, clock } = make();
    return { store, clock, limiter: tally({ name: "log-in", limit: 3, window: 10_000, blockFor, store }) };
  }

  /** As above, with ada blocked just now, by one call too many. */
  async function blockedLogIn() {
    const made = logIn();
    await made.limiter.consume("ada", { cost: 3 });
    await made.limiter.consume("ada");
    return made;
  }

  it("is set by a consume that is denied as limited, which says so itself", async () => {
    const { limiter, clock } = logIn();
    await limiter.consume("ada", { cost: 3 });
    clock.advance(2_000);
    expect(await limiter.consume("ada")).toMatchObject({
      ...DENIED,
      reason: "limited",
      retryAfterMs: MINUTE_MS,
      resetAfterMs: MINUTE_MS,
    });
    clock.advance(1);
    expect(await limiter.consume("ada")).toMatchObject({
      ...DENIED,
      reason: "blocked",
      retryAfterMs: 59_999,
    });
    expect(await limiter.peek("ada")).toMatchObject({ ...DENIED, reason: "blocked", retryAfterMs: 59_999 });
    expect(await limiter.consume("bob")).toMatchObject({ allowed: true });
  });

  it("lasts until then, to the millisecond, and no longer for being asked", async () => {
    const { limiter, clock } = await blockedLogIn();
    for (let second = 1; second < 60; second++) {
      clock.advance(1_000);
      await limiter.consume("ada");
    }
    clock.advance(999);
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked", retryAfterMs: 1 });
    clock.advance(1);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true, remaining: 2 });
  });

  it("promises no less than the limit's own wait", async () => {
    const { limiter, clock } = logIn(1_000);
    await limiter.consume("ada", { cost: 3 });
    const { retryAfterMs } = await limiter.consume("ada");
    expect(retryAfterMs).toBe(10_000);
    clock.advance(500);
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked", retryAfterMs: 9_500 });
    clock.advance(9_499);
    expect(await limiter.peek("ada")).toMatchObject({ reason: "limited", retryAfterMs: 1 });
    clock.advance(1);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true });
  });

  it.each<[string, ConsumeOptions]>([
    ["asks for more than there ever is", { cost: 4 }],
    ["asks to leave more behind than there ever is", { cost: 2, reserve: 2 }],
    ["is denied for the sake of a reserve", { cost: 1, reserve: 1 }],
    ["takes what is there", { cost: 3, atLeast: 1 }],
  ])("is not set by a consume that %s", async (_, options) => {
    const { limiter } = logIn();
    await limiter.consume("ada", { cost: 2 });
    await limiter.consume("ada", options);
    expect((await limiter.peek("ada")).reason).not.toBe("blocked");
  });

  it("is not set by a peek", async () => {
    const { limiter } = logIn();
    await limiter.consume("ada", { cost: 3 });
    await limiter.peek("ada");
    expect(await limiter.peek("ada")).toMatchObject({ reason: "limited", retryAfterMs: 10_000 });
  });

  it("is set by a consume with a reserve that is denied anyway", async () => {
    const { limiter } = logIn();
    await limiter.consume("ada", { cost: 3 });
    expect(await limiter.consume("ada", { reserve: 1 })).toMatchObject({ retryAfterMs: MINUTE_MS });
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked" });
  });

  it("does not hide that a call can never pass", async () => {
    const { limiter } = await blockedLogIn();
    expect(await limiter.consume("ada", { cost: 4 })).toMatchObject({
      ...DENIED,
      reason: "never",
      retryAfterMs: Number.POSITIVE_INFINITY,
    });
  });

  it("lets calls that arrive together through as one after the other, and is set once", async () => {
    const { limiter } = logIn();
    const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.consume("ada")));
    const count = (reason: string) => decisions.filter((decision) => decision.reason === reason).length;
    expect([count("allowed"), count("limited"), count("blocked")]).toEqual([3, 1, 46]);
  });

  it("does not keep what was taken before from being given back", async () => {
    const { limiter, clock } = logIn();
    const decision = await limiter.consume("ada", { cost: 3 });
    await limiter.consume("ada");
    await limiter.refund(decision);
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked" });
    clock.advance(MINUTE_MS);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true, remaining: 2 });
  });

  it("holds for plans too, and is theirs to set", async () => {
    const { limiter } = logIn();
    const plan = limiter.with({ limit: 1 });
    await plan.consume("ada");
    await plan.consume("ada");
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked", limit: 3 });
  });

  it("can be set by hand, on a key that has used nothing, and replaced", async () => {
    const { limiter, clock } = logIn();
    await limiter.block("ada", "1h");
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked", retryAfterMs: 3_600_000 });
    await limiter.block("ada", 500);
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked", retryAfterMs: 500 });
    clock.advance(500);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true, remaining: 2 });
  });

  it("can be ended by hand, and so can none", async () => {
    const { limiter, clock } = await blockedLogIn();
    await limiter.unblock("ada");
    await limiter.unblock("bob");
    expect(await limiter.peek("ada")).toMatchObject({ reason: "limited", retryAfterMs: 10_000 });
    clock.advance(10_000);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true });
  });

  it("is set by nobody but people, where blockFor says so", async () => {
    const { limiter } = logIn("by-hand");
    await limiter.consume("ada", { cost: 3 });
    await limiter.consume("ada");
    expect(await limiter.consume("ada")).toMatchObject({ reason: "limited" });
    await limiter.block("ada", "1h");
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked" });
  });

  it("is set by nobody who asks for nothing", async () => {
    const { limiter } = logIn();
    const decision = await limiter.consume("ada", { cost: 3 });
    await limiter.settle(decision, 5);
    expect(await limiter.consume("ada", { cost: 0 })).toMatchObject({ allowed: false, reason: "limited" });
    expect(await limiter.consume("ada", { cost: 0 })).toMatchObject({ reason: "limited" });
  });

  it("ends with a reset, unless it is to be kept", async () => {
    const { limiter, clock } = await blockedLogIn();
    await limiter.reset("ada", { keepBlock: true });
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked", retryAfterMs: MINUTE_MS });
    await limiter.reset("ada");
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true, remaining: 2 });
    await limiter.block("ada", MINUTE_MS);
    await limiter.reset("ada", { keepBlock: true });
    clock.advance(MINUTE_MS);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true, remaining: 2 });
  });

  it("lasts no longer than its own time again where the clock steps back", async () => {
    const { limiter, clock } = logIn();
    await limiter.block("ada", MINUTE_MS);
    clock.advance(59_000);
    clock.advance(-600_000);
    expect(await limiter.peek("ada")).toMatchObject({ reason: "blocked", retryAfterMs: MINUTE_MS });
    await limiter.consume("ada");
    clock.advance(MINUTE_MS - 1);
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked", retryAfterMs: 1 });
    clock.advance(1);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true });
  });

  it("promises no wait that it does not keep, where the clock steps back", async () => {
    const { limiter, clock } = logIn(1_000);
    await limiter.consume("ada", { cost: 3 });
    await limiter.block("ada", 1_000);
    clock.advance(-600_000);
    const { retryAfterMs } = await limiter.consume("ada");
    clock.advance(retryAfterMs);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true });
  });

  it("does not let a lengthened window be forgotten early", async () => {
    const { limiter, clock } = logIn();
    await limiter.consume("ada", { cost: 3 });
    await limiter.block("ada", MINUTE_MS);
    clock.advance(5_000);
    const longer = limiter.with({ window: "1h" });
    await longer.consume("ada");
    clock.advance(MINUTE_MS);
    expect(await longer.peek("ada")).toMatchObject({ reason: "limited" });
  });

  it("in a composite is set on the keys of limits that deny, and on no other", async () => {
    const { store, limiter } = logIn();
    const other = tally({ name: "other", limit: 1, window: 10_000, blockFor: "1h", store });
    const limits = compose([limiter, other]);
    await limits.consume("ada");
    expect(await limits.consume("ada")).toMatchObject({ name: "other", retryAfterMs: 3_600_000 });
    expect(await limiter.peek("ada")).toMatchObject({ allowed: true, remaining: 2 });
    expect(await other.peek("ada")).toMatchObject({ reason: "blocked" });
  });

  it("in a composite denies all of it, and charges none", async () => {
    const { store, limiter } = logIn();
    const other = tally({ name: "other", limit: 5, window: 10_000, store });
    await limiter.block("ada", "1h");
    const decision = await compose([other, limiter]).consume("ada");
    expect(decision).toMatchObject({ ...DENIED, name: "log-in", reason: "blocked", retryAfterMs: 3_600_000 });
    expect(decision.limits.other).toMatchObject({ allowed: true, taken: 0, remaining: 5 });
    expect(await other.peek("ada")).toMatchObject({ remaining: 5 });
  });
});

describe("the option blockFor", () => {
  it.each([0, -1, "0s", "x", "", "by hand", Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, null, true, {}])(
    "is refused where it is %o",
    (blockFor) => {
      // @ts-expect-error a caller without types
      expect(() => tally({ name: "api", limit: 5, window: "1s", blockFor })).toThrow(
        /^limiter "api": blockFor must be a positive number of milliseconds/,
      );
    },
  );

  it("is needed to block a key, and to end that", async () => {
    const limiter = tally({ name: "api", limit: 5, window: "1s" });
    const blocked = limiter.block("ada", "1m");
    await expect(blocked).rejects.toThrow(InvalidPolicyError);
    await expect(blocked).rejects.toThrow('limiter "api": block() needs the option blockFor');
    await expect(limiter.unblock("ada")).rejects.toThrow(
      'limiter "api": unblock() needs the option blockFor',
    );
  });
});

describe("block", () => {
  const limiter = tally({ name: "api", limit: 5, window: "1s", blockFor: "1m" });

  it.each([0, -5, "soon", undefined, null, "by-hand"])("refuses %o for a time", async (duration) => {
    // @ts-expect-error a caller without types
    await expect(limiter.block("ada", duration)).rejects.toThrow(InvalidPolicyError);
  });

  it("refuses what is no key", async () => {
    await expect(limiter.block("", "1m")).rejects.toThrow(InvalidKeyError);
    await expect(limiter.unblock([])).rejects.toThrow(InvalidKeyError);
  });

  it.each<[unknown]>([["yes"], [1], [null]])(
    "is kept by a reset or not: keepBlock %o is neither",
    async (keepBlock) => {
      // @ts-expect-error a caller without types
      const options: ResetOptions = { keepBlock };
      await expect(limiter.reset("ada", options)).rejects.toThrow("keepBlock must be true or false");
    },
  );

  it("knows no other option of a reset", async () => {
    // @ts-expect-error a caller without types
    await expect(limiter.reset("ada", { keepblock: true })).rejects.toThrow(InvalidPolicyError);
  });
});
