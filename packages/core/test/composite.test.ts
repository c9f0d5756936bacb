import { afterEach, describe, expect, it, vi } from "vitest";
import { type CompositeDecision, compose } from "../src/compose.js";
import { InvalidCostError, InvalidKeyError, InvalidPolicyError } from "../src/errors.js";
import type { Limiter } from "../src/limiter.js";
import { useStores } from "./stores.js";
import { tally } from "./tiny-algorithm.js";

const kinds = await useStores();
const NEVER = Number.POSITIVE_INFINITY;

afterEach(() => vi.restoreAllMocks());

describe.each(kinds)("a composite on $kind", ({ make }) => {
  function setUp() {
    const { store, clock } = make();
    const second = tally({ name: "per-second", limit: 3, window: "1s", store });
    const day = tally({ name: "per-day", limit: 5, window: "1d", store });
    const all = tally({ name: "constructor", limit: 10, window: "1h", store });
    return { store, clock, second, day, all, limits: compose([second, day, all]) };
  }

  async function left(key: string, ...limiters: readonly Limiter[]): Promise<number[]> {
    return Promise.all(limiters.map(async (limiter) => (await limiter.peek(key)).remaining));
  }

  it("charges all limits where all allow", async () => {
    const { second, day, all, limits } = setUp();
    expect(await limits.consume("a")).toMatchObject({ allowed: true, taken: 1, key: "a" });
    expect(await left("a", second, day, all)).toEqual([2, 4, 9]);
  });

  it("charges none where one denies, and says what each would have answered alone", async () => {
    const { second, day, all, limits } = setUp();
    await day.consume("a", { cost: 4 });
    const decision = await limits.consume("a", { cost: 2 });
    expect(decision).toMatchObject({ allowed: false, name: "per-day", reason: "limited", taken: 0 });
    expect(decision.retryAfterMs).toBe(86_400_000);
    expect(decision.receipt).toBe("");
    expect(decision.limits).toMatchObject({
      "per-second": { allowed: true, remaining: 3, taken: 0, receipt: "", reason: "allowed" },
      "per-day": { allowed: false, remaining: 1, taken: 0, receipt: "" },
      constructor: { allowed: true, remaining: 10, taken: 0, receipt: "" },
    });
    expect(await left("a", second, day, all)).toEqual([3, 1, 10]);
  });

  it("changes nothing by a peek, whether all allow or one denies", async () => {
    const { second, day, all, limits } = setUp();
    await all.consume("a", { cost: 9 });
    expect(await limits.peek("a")).toMatchObject({ allowed: true, taken: 0, name: "constructor" });
    expect(await limits.peek("a", { cost: 2 })).toMatchObject({ allowed: false, name: "constructor" });
    expect(await left("a", second, day, all)).toEqual([3, 5, 1]);
  });

  it("takes its own fields from the limit that decides", async () => {
    const { limits } = setUp();
    const { limits: told, ...own } = await limits.consume("a");
    expect(own).toEqual(told["per-second"]);
    const { limits: toldThen, ...never } = await limits.consume("a", { cost: 4 });
    expect(never).toEqual(toldThen["per-second"]);
    expect(never).toMatchObject({ reason: "never", retryAfterMs: NEVER });
  });

  it("takes a key, a cost and a reserve for each limit by name", async () => {
    const { second, day, all, limits } = setUp();
    const key = { "per-second": "a", "per-day": ["a", "b"], constructor: "all" };
    const cost = { "per-second": 1, "per-day": 0, constructor: 4 };
    const decision = await limits.consume(key, { cost });
    expect(decision.limits).toMatchObject({
      "per-second": { key: "a", cost: 1, taken: 1 },
      "per-day": { key: "a|b", cost: 0, taken: 0 },
      constructor: { key: "all", cost: 4, taken: 4 },
    });
    expect(await left("a", second, day, all)).toEqual([2, 5, 10]);
    const reserve = { "per-second": 2, "per-day": 0, constructor: 0 };
    expect(await limits.consume(key, { reserve })).toMatchObject({ allowed: false, name: "per-second" });
  });

  it("denies where a limit of 0 is among its limits, whatever the cost", async () => {
    const { store, day } = setUp();
    const closed = tally({ name: "closed", limit: 0, window: "1s", store });
    const decision = await compose([day, closed]).consume("a", { cost: 0 });
    expect(decision).toMatchObject({ allowed: false, name: "closed", reason: "never" });
  });

  describe("a call is refused, and nothing is touched,", () => {
    it("with a wrong or a missing name", async () => {
      const { second, day, all, limits } = setUp();
      const asked = [
        // @ts-expect-error a caller without types
        limits.consume({ "per-second": "a", "per-day": "a" }),
        // @ts-expect-error a caller without types
        limits.consume({ "per-second": "a", "per-day": "a", constructor: "a", toString: "a" }),
        // @ts-expect-error a caller without types
        limits.consume("a", { cost: { "per-second": 1 } }),
        // @ts-expect-error a caller without types
        limits.consume("a", { reserve: { "per-second": 1, "per-day": 1, constuctor: 1 } }),
        // @ts-expect-error a caller without types
        limits.reset({ "per-second": "a" }),
      ];
      for (const call of asked) await expect(call).rejects.toThrow(InvalidKeyError);
      expect(await left("a", second, day, all)).toEqual([3, 5, 10]);
    });

    it.each([undefined, null, 5, "", []])("with the key %j", async (key) => {
      const { limits } = setUp();
      // @ts-expect-error a caller without types
      await expect(limits.consume(key)).rejects.toThrow(InvalidKeyError);
    });

    it("with one bad key among good ones", async () => {
      const { second, limits } = setUp();
      const key = { "per-second": "a", "per-day": "a", constructor: "" };
      await expect(limits.consume(key)).rejects.toThrow(InvalidKeyError);
      expect(await left("a", second)).toEqual([3]);
    });

    it.each([null, -1, 0.5, "1", Number.NaN, NEVER, [1]])("with the cost %j", async (cost) => {
      const { second, limits } = setUp();
      // @ts-expect-error a caller without types
      await expect(limits.consume("a", { cost })).rejects.toThrow(InvalidCostError);
      // @ts-expect-error a caller without types
      await expect(limits.consume("a", { reserve: cost })).rejects.toThrow(InvalidCostError);
      expect(await left("a", second)).toEqual([3]);
    });

    it("with one bad cost among good ones", async () => {
      const { second, limits } = setUp();
      const cost = { "per-second": 1, "per-day": 1, constructor: -1 };
      await expect(limits.consume("a", { cost })).rejects.toThrow(InvalidCostError);
      expect(await left("a", second)).toEqual([3]);
    });

    it.each([null, 5, { costs: 2 }, { atLeast: 1 }])("with the options %j", async (options) => {
      const { limits } = setUp();
      // @ts-expect-error a caller without types
      await expect(limits.consume("a", options)).rejects.toThrow(InvalidCostError);
    });
  });

  it("takes options that are said to be undefined as left out", async () => {
    const { limits } = setUp();
    const options = { cost: undefined, reserve: undefined, signal: undefined };
    expect(await limits.consume("a", options)).toMatchObject({ taken: 1 });
  });

  describe("a refund", () => {
    it("gives back on every limit what each of them took", async () => {
      const { second, day, all, limits } = setUp();
      const cost = { "per-second": 1, "per-day": 0, constructor: 4 };
      const decision = await limits.consume("a", { cost });
      await limits.refund(decision);
      expect(await left("a", second, day, all)).toEqual([3, 5, 10]);
    });

    it("gives back once", async () => {
      const { second, day, all, limits } = setUp();
      await limits.consume("a");
      const decision = await limits.consume("a");
      await limits.refund(decision);
      await limits.refund(decision);
      expect(await left("a", second, day, all)).toEqual([2, 4, 9]);
    });

    it("of a denial or a peek gives nothing back", async () => {
      const { second, day, all, limits } = setUp();
      await limits.consume("a", { cost: 3 });
      await limits.refund(await limits.consume("a"));
      await limits.refund(await limits.peek("a"));
      expect(await left("a", second, day, all)).toEqual([0, 2, 7]);
    });

    it("takes a decision that went through JSON", async () => {
      const { second, day, all, limits } = setUp();
      const decision = await limits.consume("a");
      const copy: typeof decision = JSON.parse(JSON.stringify(decision));
      expect(copy).toEqual(decision);
      await limits.refund(copy);
      await limits.refund(decision);
      expect(await left("a", second, day, all)).toEqual([3, 5, 10]);
    });

    it.each([undefined, null, 5, {}, { limits: null }, { limits: {} }])(
      "is refused for what is no such decision: %j",
      async (decision) => {
        const { limits } = setUp();
        // @ts-expect-error a caller without types
        await expect(limits.refund(decision)).rejects.toThrow(InvalidKeyError);
      },
    );

    it("is refused as a whole where the decision of one limit is none of its own", async () => {
      const { second, day, all, limits } = setUp();
      const decision = await limits.consume("a");
      const mixedUp = { ...decision.limits, constructor: decision.limits["per-day"] };
      // @ts-expect-error a caller without types
      await expect(limits.refund({ ...decision, limits: mixedUp })).rejects.toThrow(InvalidKeyError);
      expect(await left("a", second, day, all)).toEqual([2, 4, 9]);
    });
  });

  describe("a settlement", () => {
    it("makes every limit have taken something else, one for all or each its own", async () => {
      const { second, day, all, limits } = setUp();
      const decision = await limits.consume("a", { cost: 2 });
      const settled = await limits.settle(decision, 1);
      expect(settled.limits).toMatchObject({ "per-second": { taken: 1 }, "per-day": { taken: 1 } });
      expect(await left("a", second, day, all)).toEqual([2, 4, 9]);
      await limits.settle(settled, { "per-second": 1, "per-day": 0, constructor: 12 });
      expect(await left("a", second, day, all)).toEqual([2, 5, 0]);
    });

    it("tells the limit with the fewest left", async () => {
      const { limits } = setUp();
      const decision = await limits.consume("a");
      const settled = await limits.settle(decision, { "per-second": 1, "per-day": 4, constructor: 1 });
      expect(settled).toMatchObject({ name: "per-day", remaining: 1, taken: 4, cost: 4 });
    });

    it("returns a decision that can be refunded, and the former one no more", async () => {
      const { second, day, all, limits } = setUp();
      const decision = await limits.consume("a");
      const settled = await limits.settle(decision, 3);
      await limits.refund(decision);
      expect(await left("a", second, day, all)).toEqual([0, 2, 7]);
      await limits.refund(settled);
      expect(await left("a", second, day, all)).toEqual([3, 5, 10]);
    });

    it("is refused with a wrong or a missing name", async () => {
      const { limits } = setUp();
      const decision = await limits.consume("a");
      // @ts-expect-error a caller without types
      await expect(limits.settle(decision, { "per-second": 1 })).rejects.toThrow(InvalidKeyError);
    });

    it.each([undefined, null, -1, 0.5, "1"])("is refused at the cost %j", async (cost) => {
      const { second, day, limits } = setUp();
      const decision = await limits.consume("a");
      // @ts-expect-error a caller without types
      await expect(limits.settle(decision, cost)).rejects.toThrow(InvalidCostError);
      expect(await left("a", second, day)).toEqual([2, 4]);
    });

    it("is refused as a whole where one of several costs is none", async () => {
      const { second, day, all, limits } = setUp();
      const decision = await limits.consume("a");
      const cost = { "per-second": 3, "per-day": 3, constructor: -1 };
      await expect(limits.settle(decision, cost)).rejects.toThrow(InvalidCostError);
      expect(await left("a", second, day, all)).toEqual([2, 4, 9]);
    });

    it("that is refused leaves the receipts as they were", async () => {
      const { second, day, all, limits } = setUp();
      const decision = await limits.consume("a");
      const cost = { "per-second": 3, "per-day": 3, constructor: -1 };
      await limits.settle(decision, cost).catch(() => {});
      await limits.refund(decision);
      expect(await left("a", second, day, all)).toEqual([3, 5, 10]);
    });
  });

  describe("a reset", () => {
    it("forgets on every limit what its key has used", async () => {
      const { second, day, all, limits } = setUp();
      await limits.consume("a");
      await limits.consume("b");
      await limits.reset({ "per-second": "a", "per-day": "a", constructor: "b" });
      expect(await left("a", second, day, all)).toEqual([3, 5, 9]);
      await limits.reset("b");
      expect(await left("b", second, day, all)).toEqual([3, 5, 10]);
    });

    it("is refused as a whole where one of several keys is none", async () => {
      const { second, day, all, limits } = setUp();
      await limits.consume("a");
      const key = { "per-second": "a", "per-day": "a", constructor: "" };
      await expect(limits.reset(key)).rejects.toThrow(InvalidKeyError);
      expect(await left("a", second, day, all)).toEqual([2, 4, 9]);
    });

    it("is refused with options that it does not know", async () => {
      const { second, limits } = setUp();
      await limits.consume("a");
      // @ts-expect-error a caller without types
      await expect(limits.reset("a", { keepBlocks: true })).rejects.toThrow(InvalidPolicyError);
      expect(await left("a", second)).toEqual([2]);
    });
  });

  describe("a signal", () => {
    it("that is aborted already rejects with its own reason, before anything is touched", async () => {
      const { second, limits } = setUp();
      const reason = new Error("the client has gone");
      const signal = AbortSignal.abort(reason);
      await expect(limits.consume("a", { signal })).rejects.toBe(reason);
      await expect(limits.peek("a", { signal })).rejects.toBe(reason);
      expect(await left("a", second)).toEqual([3]);
    });

    it("that is aborted while the store decides rejects too, and every limit gets back what it gave", async () => {
      const { second, day, all, limits } = setUp();
      await limits.consume("a");
      const controller = new AbortController();
      const call = limits.consume("a", { cost: 2, signal: controller.signal });
      controller.abort("gone");
      await expect(call).rejects.toBe("gone");
      await vi.waitFor(async () => expect(await left("a", second, day, all)).toEqual([2, 4, 9]));
    });

    it("that is aborted after the answer takes nothing back", async () => {
      const { second, limits } = setUp();
      const controller = new AbortController();
      await limits.consume("a", { signal: controller.signal });
      controller.abort();
      expect(await left("a", second)).toEqual([2]);
    });
  });

  it("tells of all limits by one clock", async () => {
    const { clock, limits } = setUp();
    clock.advance(12_345);
    const { decidedAtMs, limits: told } = await limits.consume("a");
    const dates = Object.values<CompositeDecision["limits"][string]>(told).map((own) => own.decidedAtMs);
    expect(new Set([decidedAtMs, ...dates])).toEqual(new Set([clock()]));
  });
});
