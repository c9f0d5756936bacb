import { afterEach, describe, expect, it, vi } from "vitest";
import { defineAlgorithm } from "../src/define-algorithm.js";
import { InvalidPolicyError } from "../src/errors.js";
import { memoryStore } from "../src/memory-store.js";
import { redisStore } from "../src/redis-store.js";
import { HEALTHY, type Store } from "../src/store.js";
import { manualClock } from "../src/testing.js";
import { useRedis } from "./redis.js";
import { tally, tallyAlgorithm } from "./tiny-algorithm.js";
import { writtenTally } from "./written-tally.js";

const { connection } = await useRedis();

/** A store on which every call is a failure of the test. */
function untouched(): Store {
  const touch = vi.fn(() => expect.fail("the store was touched"));
  return {
    isLocal: true,
    multiKey: true,
    decide: touch,
    decideAll: touch,
    adjust: touch,
    forget: touch,
    block: touch,
    setPolicy: touch,
    getPolicy: touch,
    health: () => HEALTHY,
  };
}

describe("a limiter of one's own algorithm", () => {
  it("has the name that it was given, as a literal type, and its policy as data", () => {
    const limiter = tally({ name: "api", limit: 5, window: "1m" });
    const name: "api" = limiter.name;
    expect(name).toBe("api");
    expect(limiter.policy).toEqual({ algorithm: "tally", limit: 5, windowMs: 60_000 });
  });

  it("has a policy that nobody can change, nor any part of it", () => {
    const parts = { plan: { tags: ["free"], rate: { tokens: 5, every: { hours: 1 } } }, none: null };
    const create = defineAlgorithm({
      ...tallyAlgorithm,
      compile: (own, checks) => ({ ...tallyAlgorithm.compile(own, checks), data: structuredClone(parts) }),
    });
    const { policy } = create({ name: "api", limit: 5, window: "1m" });
    expect(policy).toMatchObject(parts);
    const thaw = (value: unknown): boolean =>
      typeof value === "object" &&
      value !== null &&
      (!Object.isFrozen(value) || Object.values(value).some(thaw));
    expect(Object.keys(policy).filter((option) => thaw(policy[option]))).toEqual([]);
    expect(Object.isFrozen(policy)).toBe(true);
  });

  it("answers the same on every store, whatever the shape of its state", async () => {
    const answers = async (
      create: typeof tally,
      makeStore: (clock: () => number) => Store,
    ): Promise<unknown[]> => {
      const clock = manualClock(1_000_000);
      const limiter = create({ name: "api", limit: 5, window: 100, store: makeStore(clock) });
      const decisions: unknown[] = [];
      const note = ({ receipt, ...rest }: Awaited<ReturnType<typeof limiter.consume>>): void => {
        decisions.push({ ...rest, hasReceipt: receipt !== "" });
      };
      const first = await limiter.consume("a", { cost: 3 });
      note(first);
      note(await limiter.consume("a", { cost: 3 }));
      note(await limiter.consume("a", { cost: 3, atLeast: 1 }));
      note(await limiter.peek("a"));
      note(await limiter.consume("b", { cost: 2, reserve: 4 }));
      clock.advance(99);
      note(await limiter.consume("a"));
      note(await limiter.settle(first, 1));
      await limiter.refund(await limiter.consume("a", { cost: 2 }));
      note(await limiter.peek("a"));
      clock.advance(-50);
      note(await limiter.consume("a", { cost: 2 }));
      clock.advance(51);
      note(await limiter.consume("a", { cost: 5 }));
      clock.set(1_000);
      note(await limiter.consume("a"));
      await limiter.reset("a");
      note(await limiter.consume("a"));
      return decisions;
    };
    const inMemory = await answers(tally, (clock) => memoryStore({ clock }));
    expect(inMemory).toHaveLength(12);
    expect(await answers(writtenTally, (clock) => memoryStore({ clock }))).toEqual(inMemory);
    expect(await answers(tally, (clock) => redisStore(connection, { clock }))).toEqual(inMemory);
    expect(await answers(writtenTally, (clock) => redisStore(connection, { clock }))).toEqual(inMemory);
  });
});

describe("a factory", () => {
  it.each([
    "",
    "1st",
    "_",
    "-api",
    "a b",
    "a:b",
    "{a}",
    "a/b",
    "é",
    "a\n",
    "a".repeat(65),
    undefined,
    null,
    42,
    ["api"],
  ])("refuses the name %j", (name) => {
    // @ts-expect-error a caller without types
    expect(() => tally({ name, limit: 1, window: 1, store: untouched() })).toThrow(InvalidPolicyError);
  });

  it.each(["a", "A", "api.v2_users-eu", "a".repeat(64)])("takes the name %j", (name) => {
    expect(tally({ name, limit: 1, window: 1 }).name).toBe(name);
  });

  it.each([undefined, null, 5, "5 per minute", [5]])("refuses %o for its options", (options) => {
    // @ts-expect-error a caller without types
    expect(() => tally(options)).toThrow(InvalidPolicyError);
  });

  it("refuses an option that it does not know, and tells those that it knows", () => {
    // @ts-expect-error a caller without types
    expect(() => tally({ name: "api", limit: 1, window: 1, windw: 2, store: untouched() })).toThrow(
      'limiter "api": options must be { name, store, perKey, blockFor, onStoreFailure, denyCache, maxWaiters, observe, limit, window }, got the unknown option "windw"',
    );
  });

  it.each([null, {}, 5, "memory", new Map(), () => memoryStore(), { decide: () => 1, adjust: () => 1 }])(
    "refuses %o for a store",
    (store) => {
      // @ts-expect-error a caller without types
      expect(() => tally({ name: "api", limit: 1, window: 1, store })).toThrow(InvalidPolicyError);
    },
  );

  it.each([
    { limit: -1, window: 1 },
    { limit: 0.33, window: 1 },
    { limit: 1, window: 0 },
    { limit: 1, window: "abc" },
  ])("refuses a policy that the algorithm cannot keep, before any store is touched: %j", (own) => {
    expect(() => tally({ name: "api", store: untouched(), ...own })).toThrow(InvalidPolicyError);
  });
});

describe("the store of a limiter that names none", () => {
  afterEach(() => {
    vi.resetModules();
  });

  it("is one for all limiters of the process", async () => {
    await tally({ name: "shared", limit: 5, window: "1m" }).consume("a", { cost: 2 });
    expect(await tally({ name: "shared", limit: 5, window: "1m" }).peek("a")).toMatchObject({ remaining: 3 });
  });

  it("is the one on globalThis, whichever copy of the package made it", async () => {
    await tally({ name: "copies", limit: 5, window: "1m" }).consume("a", { cost: 2 });
    vi.resetModules();
    const copy = await import("./tiny-algorithm.js");
    expect(copy.tally).not.toBe(tally);
    expect(await copy.tally({ name: "copies", limit: 5, window: "1m" }).peek("a")).toMatchObject({
      remaining: 3,
    });
    expect(Reflect.get(globalThis, Symbol.for("@sluice/core/memory-store.1"))).toHaveProperty("size");
  });
});

describe("with", () => {
  const make = () => tally({ name: "api", limit: 5, window: "1m", store: memoryStore() });

  it("replaces options and leaves the others", () => {
    expect(make().with({ limit: 50 }).policy).toEqual({ algorithm: "tally", limit: 50, windowMs: 60_000 });
    expect(make().with({}).policy).toEqual(make().policy);
  });

  it("keeps the name, the keys and the store", async () => {
    const free = make();
    const paid = free.with({ limit: 50 });
    await free.consume("a", { cost: 5 });
    expect(paid.name).toBe("api");
    expect(await paid.consume("a")).toMatchObject({ allowed: true, remaining: 44 });
    expect(await free.consume("a")).toMatchObject({ allowed: false, remaining: 0 });
  });

  it("leaves the limiter as it was", () => {
    const free = make();
    free.with({ limit: 50 });
    expect(free.policy.limit).toBe(5);
  });

  it("can be used on what it made", () => {
    expect(make().with({ limit: 50 }).with({ window: "2m" }).policy).toMatchObject({
      limit: 50,
      windowMs: 120_000,
    });
  });

  it.each([{ name: "other" }, { store: memoryStore() }, { name: "api" }])(
    "refuses a name and a store: %o",
    (own) => {
      // @ts-expect-error a caller without types
      expect(() => make().with(own)).toThrow(InvalidPolicyError);
    },
  );

  it("says what it can replace", () => {
    // @ts-expect-error a caller without types
    expect(() => make().with({ store: memoryStore() })).toThrow(
      'limiter "api", with(): options must be { limit, window }, got the unknown option "store"',
    );
  });

  it.each([undefined, null, 5, "limit: 50", [50]])("refuses %o for what it is to replace", (own) => {
    // @ts-expect-error a caller without types
    const replace = () => make().with(own);
    expect(replace).toThrow(InvalidPolicyError);
    expect(replace).toThrow('limiter "api", with(): options must be { limit, window }, got');
  });

  it("refuses an option that it does not know, and a policy that cannot be kept", () => {
    // @ts-expect-error a caller without types
    expect(() => make().with({ windw: 1 })).toThrow(InvalidPolicyError);
    expect(() => make().with({ limit: -1 })).toThrow(InvalidPolicyError);
  });
});
