import {
  type CompositeFailurePolicy,
  type LimiterEvent,
  memoryStore,
  type StoreFailurePolicy,
} from "@sluice/core";
import { describe, expect, it } from "vitest";
import { compose } from "../src/compose.js";
import { InvalidKeyError, InvalidPolicyError, StoreError } from "../src/errors.js";
import { failingStore, LOST, READ_ONLY } from "./failing-store.js";
import { useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const { connection } = await useRedis();

interface Policies {
  minute?: StoreFailurePolicy;
  day?: StoreFailurePolicy;
  both?: CompositeFailurePolicy;
}

function setUp(policies: Policies) {
  const { store, failWith } = failingStore(connection, { breaker: false });
  const events: LimiterEvent[] = [];
  const common = { store, observe: (event: LimiterEvent) => void events.push(event) };
  const minute = tally({
    name: "minute",
    limit: 3,
    window: "1m",
    onStoreFailure: policies.minute,
    ...common,
  });
  const day = tally({ name: "day", limit: 10, window: "1d", onStoreFailure: policies.day, ...common });
  const limits = compose([minute, day], { onStoreFailure: policies.both });
  return { failWith, events, minute, day, limits };
}

function local(name: string, limit: number, store = memoryStore()) {
  return tally({ name, limit, window: "1h", store });
}

describe("a composite whose store fails", () => {
  it.each([{}, { minute: "allow" }, { minute: "allow", day: "deny", both: "throw" }] as const)(
    "throws where one of its limits does, or it does itself: %j",
    async (policies) => {
      const { limits, failWith } = setUp(policies);
      failWith(LOST);
      await expect(limits.consume("a")).rejects.toThrow(StoreError);
      await expect(limits.peek("a")).rejects.toThrow(StoreError);
      await expect(limits.reset("a")).rejects.toThrow(StoreError);
    },
  );

  it("asks each limit what to do", async () => {
    const { limits, failWith } = setUp({ minute: "allow", day: local("day", 2) });
    failWith(LOST);
    const key = { minute: "a", day: "b" };
    const first = await limits.consume(key, { cost: { minute: 1, day: 2 } });
    expect(first).toMatchObject({
      allowed: true,
      limits: {
        minute: { source: "failure-policy", key: "a" },
        day: { source: "fallback", key: "b", taken: 2 },
      },
    });
    expect(await limits.consume(key)).toMatchObject({ allowed: false, name: "day", taken: 0 });
    await limits.refund(first);
    expect(await limits.peek(key)).toMatchObject({ limits: { day: { remaining: 2 } } });
  });

  it("takes nothing from one limit's fallback where another one's denies", async () => {
    const minute = local("minute", 5);
    const { limits, failWith } = setUp({ minute, day: "deny" });
    failWith(LOST);
    expect(await limits.consume("a")).toMatchObject({ allowed: false, limits: { minute: { taken: 0 } } });
    expect(await minute.peek("a")).toMatchObject({ remaining: 5 });
  });

  it.each(["allow", "deny"] as const)("answers by a policy of its own: %s", async (both) => {
    const { limits, failWith } = setUp({ both });
    failWith(LOST);
    const decision = await limits.consume("a");
    expect(decision).toMatchObject({ allowed: both === "allow", reason: "unavailable", taken: 0 });
    expect(decision.limits.day).toMatchObject({ source: "failure-policy", limit: 10, remaining: 0 });
  });

  it("keeps quiet about what it cannot give back, and gives it back later", async () => {
    const { limits, failWith } = setUp({ both: "deny" });
    const decision = await limits.consume("a", { cost: 2 });
    failWith(READ_ONLY);
    await limits.refund(decision);
    await limits.reset("a");
    const unsettled = await limits.settle(decision, 1);
    expect(unsettled.limits.minute).toMatchObject({ taken: 2, source: "failure-policy" });
    failWith(undefined);
    await limits.settle(unsettled, 1);
    expect(await limits.peek("a")).toMatchObject({
      limits: { minute: { remaining: 2 }, day: { remaining: 9 } },
    });
  });

  it("may have another composite answer, which gets back what it gave", async () => {
    const store = memoryStore();
    const both = compose([local("day", 4, store), local("minute", 2, store), local("extra", 9, store)]);
    const { limits, minute, failWith } = setUp({ both });
    failWith(LOST);
    const key = { minute: "m", day: "d" };
    const decision = JSON.parse(JSON.stringify(await limits.consume(key, { cost: { minute: 2, day: 1 } })));
    expect(decision).toMatchObject({
      source: "fallback",
      name: "minute",
      limits: {
        minute: { taken: 2, key: "m", source: "fallback" },
        day: { taken: 1, key: "d" },
        extra: { taken: 2, key: "m" },
      },
    });
    // what the fallback took is not the limit's own
    await expect(minute.refund(decision.limits.minute)).rejects.toThrow(InvalidKeyError);
    const settled = await limits.settle(decision, { minute: 1, day: 3 });
    expect(settled).toMatchObject({
      limits: { minute: { taken: 1 }, day: { taken: 3 }, extra: { taken: 1 } },
    });
    await limits.refund(settled);
    expect(await both.peek({ minute: "m", day: "d", extra: "m" })).toMatchObject({
      limits: { minute: { remaining: 2 }, day: { remaining: 4 }, extra: { remaining: 9 } },
    });
    await limits.consume(key);
    await limits.reset(key);
    expect(await limits.peek(key)).toMatchObject({ limits: { day: { remaining: 4 } } });
  });

  it("may have a limiter answer, for all of its limits", async () => {
    const { limits, failWith } = setUp({ both: local("one", 2) });
    failWith(LOST);
    const decision = await limits.consume({ minute: "m", day: "d" }, { cost: 2 });
    expect(decision).toMatchObject({ name: "one", key: "m", taken: 2, source: "fallback" });
    expect(decision.limits.day).toMatchObject({ name: "one", taken: 2 });
    expect(Object.keys(decision.limits.day)).not.toContain("limits");
    await limits.refund(decision);
    expect(await limits.peek("m")).toMatchObject({ remaining: 2 });
  });

  it("tells the observers of its limits", async () => {
    const { limits, failWith, events } = setUp({ both: "allow" });
    await limits.consume("a");
    failWith(LOST);
    await limits.consume("a");
    expect(events.map(({ type, name }) => [type, name])).toEqual([
      ["decision", "minute"],
      ["decision", "day"],
      ["store-failure", "minute"],
      ["store-failure", "day"],
      ["decision", "minute"],
      ["decision", "day"],
    ]);
  });

  it("refuses what is no policy", () => {
    // @ts-expect-error a caller without types
    expect(() => compose([local("a", 1)], { onStoreFailure: "open" })).toThrow(InvalidPolicyError);
  });
});
