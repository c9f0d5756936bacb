import { compileLevel, defineAlgorithm, type LimiterFactory, levelKernel } from "@sluice/core/algorithm";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type CompositeDecision, type CompositeLimiter, compose } from "../src/compose.js";
import type { Decision } from "../src/decision.js";
import { InvalidPolicyError } from "../src/errors.js";
import type { Limiter } from "../src/limiter.js";
import { memoryStore } from "../src/memory-store.js";
import { redisStore } from "../src/redis-store.js";
import { tally } from "./tiny-algorithm.js";

const store = memoryStore();

function limit<const Name extends string>(name: Name, most = 5) {
  return tally({ name, limit: most, window: "1m", store });
}

function limits(count: number): Limiter[] {
  return Array.from({ length: count }, (_, i) => limit(`l${i}`));
}

/** A queue: the least that holds work. */
const line: LimiterFactory<{ capacity: number; leak: { tokens: number; every: number } }> = defineAlgorithm({
  ...levelKernel({ id: "line", tag: "line", version: 1, rateName: "leak", queue: true }),
  options: ["capacity", "leak"],
  compile: ({ capacity, leak }, checks) =>
    compileLevel({ capacity, rateName: "leak", rate: leak, beyond: 1 }, checks),
});

function queue<const Name extends string>(name: Name) {
  return line({ name, capacity: 5, leak: { tokens: 1, every: 1000 }, store });
}

describe("compose refuses", () => {
  it("no limits at all", () => {
    expect(() => compose([])).toThrow(InvalidPolicyError);
    expect(() => compose([])).toThrow("compose: at least one limiter is needed");
  });

  it("more than 32 limits, also where they come in composites", () => {
    expect(() => compose(limits(33))).toThrow("compose: at most 32 limits can decide together, got 33");
    expect(() => compose([compose(limits(32)), limit("one-more")])).toThrow(InvalidPolicyError);
    expect(compose(limits(32)).name.split("+")).toHaveLength(32);
  });

  it("two limits of one name, also where they come in composites", () => {
    expect(() => compose([limit("api"), limit("day"), limit("api", 9)])).toThrow(
      'compose: each limit needs a name of its own, got two of "api"',
    );
    expect(() => compose([compose([limit("api"), limit("day")]), limit("api")])).toThrow(InvalidPolicyError);
    const day = limit("day");
    expect(() => compose([day, day])).toThrow(InvalidPolicyError);
    expect(() => compose([day, day.with({ limit: 9 })])).toThrow(InvalidPolicyError);
  });

  it("limits of several stores, be they alike", () => {
    const elsewhere = tally({ name: "elsewhere", limit: 5, window: "1m", store: memoryStore() });
    expect(() => compose([limit("api"), elsewhere])).toThrow(
      'compose: all limits must have one store, got another for "elsewhere"',
    );
    const connection = { send: () => Promise.reject(new Error("not to be asked")) };
    const [one, other] = [redisStore(connection), redisStore(connection)];
    const two = [
      tally({ name: "one", limit: 5, window: "1m", store: one }),
      tally({ name: "other", limit: 5, window: "1m", store: other }),
    ];
    expect(() => compose(two)).toThrow(InvalidPolicyError);
  });

  it("two queues: only one can say how long to hold the work", () => {
    expect(() => compose([queue("one"), limit("api"), queue("other")])).toThrow(
      'compose: at most one leaky bucket can be among them, got "one", "other"',
    );
    expect(() => compose([compose([queue("one")]), compose([queue("other")])])).toThrow(InvalidPolicyError);
  });

  it.each([null, undefined, 5, "api", {}, [], { name: "api", consume() {}, refund() {} }])(
    "what is no limiter: %o",
    (other) => {
      // @ts-expect-error a caller without types
      expect(() => compose([limit("api"), other])).toThrow("compose: limiters were expected, got");
    },
  );

  it.each([null, undefined, 5, "api", {}, limit("api")])("what is no list of limiters: %o", (other) => {
    // @ts-expect-error a caller without types
    expect(() => compose(other)).toThrow("compose: an array of limiters was expected, got");
  });

  it.each([{ crossSlots: "error" }, { crossSlot: "erorr" }, { crossSlot: true }, { name: "" }, { name: 5 }])(
    "the options %j",
    (options) => {
      // @ts-expect-error a caller without types
      expect(() => compose([limit("api")], options)).toThrow(InvalidPolicyError);
    },
  );

  it.each([null, 5, "reserve", ["reserve"]])("%j for its options", (options) => {
    // @ts-expect-error a caller without types
    expect(() => compose([limit("api")], options)).toThrow(InvalidPolicyError);
  });
});

describe("a composite", () => {
  it("may be of one limit, and of one queue among others", async () => {
    expect(await compose([limit("single")]).consume("a")).toMatchObject({ name: "single", remaining: 4 });
    expect(await compose([limit("beside"), queue("line")]).consume("a")).toMatchObject({ allowed: true });
  });

  it("is named by its limits, or as it is told", () => {
    expect(compose([limit("api"), compose([limit("day"), limit("all")])]).name).toBe("api+day+all");
    expect(compose([limit("api")], { name: "plan" }).name).toBe("plan");
  });

  it("tells the policy of each limit", () => {
    expect(compose([limit("api"), limit("day", 9)]).policies).toEqual({
      api: { algorithm: "tally", limit: 5, windowMs: 60_000 },
      day: { algorithm: "tally", limit: 9, windowMs: 60_000 },
    });
  });

  it("is not changed by what becomes of the list that it was made from", async () => {
    const list: Limiter[] = [limit("stays")];
    const composite = compose(list);
    list.push(limit("late"));
    expect(Object.keys((await composite.peek("a")).limits)).toEqual(["stays"]);
  });
});

describe("the compiler knows the names of the limits", () => {
  const composite = compose([limit("per-second"), compose([limit("per-day"), compose([limit("global")])])]);
  type Names = "per-second" | "per-day" | "global";

  it("from limiters and composites, however they nest", () => {
    expectTypeOf(composite).toEqualTypeOf<CompositeLimiter<Names>>();
    expectTypeOf(composite.policies).toHaveProperty("per-day");
  });

  it("and each limit's decision has its own, the whole one of them", async () => {
    const decision = await composite.peek("a");
    expectTypeOf(decision).toEqualTypeOf<CompositeDecision<Names>>();
    expectTypeOf(decision.name).toEqualTypeOf<Names>();
    expectTypeOf(decision.limits).toEqualTypeOf<{ [N in Names]: Decision<N> }>();
    expectTypeOf(decision.limits["per-day"].name).toEqualTypeOf<"per-day">();
    expect(Object.keys(decision.limits)).toEqual(["per-second", "per-day", "global"]);
    // @ts-expect-error there is no such limit
    expect(decision.limits["per-hour"]).toBeUndefined();
  });

  it("so that a wrong or a missing one does not compile", () => {
    const wrong = [
      // @ts-expect-error a name is missing
      () => composite.consume({ "per-second": "a", "per-day": "a" }),
      // @ts-expect-error there is no such limit
      () => composite.consume({ "per-second": "a", "per-day": "a", global: "a", "per-hour": "a" }),
      // @ts-expect-error a name is missing
      () => composite.peek("a", { cost: { "per-second": 1, "per-day": 1 } }),
      // @ts-expect-error there is no such limit
      () => composite.peek("a", { reserve: { "per-second": 1, "per-day": 1, global: 1, other: 1 } }),
      // @ts-expect-error a name is missing
      () => composite.reset({ global: "a" }),
      // @ts-expect-error a key is a text or several
      () => composite.consume({ "per-second": "a", "per-day": "a", global: 5 }),
      // @ts-expect-error several limits are charged whole or not at all
      () => composite.consume("a", { atLeast: 1 }),
    ];
    expect(wrong).toHaveLength(7);
  });

  it("so that the decision of another composite is not taken for one of this", async () => {
    const other = await compose([limit("per-hour")]).peek("a");
    // @ts-expect-error it has no such limits
    await expect(composite.refund(other)).rejects.toThrow('but there is no "per-hour"');
  });

  it("as far as the limiters know theirs", async () => {
    const some: Limiter[] = [limit("api"), limit("day")];
    const decision = await compose(some).peek({ api: "a", day: "b" });
    expectTypeOf(decision).toEqualTypeOf<CompositeDecision<string>>();
    expect(decision.limits.day?.key).toBe("b");
  });
});
