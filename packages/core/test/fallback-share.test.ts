import { fallbackShare, memoryStore, redisStore } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { compose } from "../src/compose.js";
import { InvalidPolicyError } from "../src/errors.js";
import { sharedOptions } from "../src/policy-share.js";
import { keyedTally } from "./keyed-tally.js";
import { tally } from "./tiny-algorithm.js";

const unreachable = redisStore({ send: () => Promise.reject(new Error("unreachable")) });
const limited = (limit: number) => tally({ name: "api", limit, window: "1m", store: memoryStore() });

describe("a share of a limiter", () => {
  it.each([
    { limit: 100, share: 1 / 4, own: 25 },
    { limit: 10, share: 1 / 4, own: 2 },
    { limit: 2, share: 1 / 4, own: 1 },
    { limit: 0, share: 1 / 4, own: 0 },
    { limit: 100, share: 0.29, own: 29 },
    { limit: 98, share: 1 / 49, own: 2 },
    { limit: 7, share: 1, own: 7 },
  ])("of $limit by $share is limited to $own", ({ limit, share, own }) => {
    expect(fallbackShare(limited(limit), share).policy).toMatchObject({ limit: own, windowMs: 60_000 });
  });

  it("counts in this process, though the limiter counts elsewhere", async () => {
    const limiter = tally({ name: "shared", limit: 8, window: "1m", store: unreachable });
    const share = fallbackShare(limiter, 1 / 4);
    expect(share.name).toBe("shared");
    expect(await share.consume("a")).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
  });

  it("counts in the limiter's own memory store where it has one", async () => {
    const store = memoryStore();
    const share = fallbackShare(tally({ name: "api", limit: 8, window: "1m", store }), 1 / 4);
    await share.consume("a");
    expect(store.size).toBe(1);
  });

  it("of a composite is a composite of shares", async () => {
    const store = memoryStore();
    const minute = tally({ name: "minute", limit: 8, window: "1m", store });
    const day = tally({ name: "day", limit: 40, window: "1d", store });
    const share = fallbackShare(compose([minute, day], { name: "both" }), 1 / 4);
    expect(share.name).toBe("both");
    expect(await share.consume("a")).toMatchObject({ limits: { minute: { limit: 2 }, day: { limit: 10 } } });
  });

  it.each([0, -1, 1.01, Number.NaN, "1/4"])("cannot be %j", (share) => {
    // @ts-expect-error a caller without types
    expect(() => fallbackShare(limited(1), share)).toThrow(InvalidPolicyError);
  });

  it("cannot be had of what is no limiter", () => {
    // @ts-expect-error a caller without types
    expect(() => fallbackShare({}, 1)).toThrow(
      "fallbackShare: a limiter was expected, got an object (Object)",
    );
  });

  it("cannot be had where only the keys know their limits", () => {
    const limiter = keyedTally({ name: "keyed", perKey: true, store: memoryStore() });
    expect(() => fallbackShare(limiter, 1 / 2)).toThrow(InvalidPolicyError);
  });
});

describe("the options for a share", () => {
  const data = { capacity: 20, refill: { tokens: 5, everyMs: 1_000 } };

  it("slow a rate down by the time that it takes", () => {
    expect(sharedOptions({ limit: 20, data }, 1 / 4)).toEqual({
      capacity: 5,
      refill: { tokens: 5, every: 4_000 },
    });
    expect(sharedOptions({ limit: 20, data }, 1 / 3)).toMatchObject({ refill: { every: 3_000 } });
  });

  it("leave a queue the one that passes at once", () => {
    const queue = { capacity: 3, leak: { tokens: 1, everyMs: 10 } };
    expect(sharedOptions({ limit: 4, data: queue }, 1 / 4)).toMatchObject({ capacity: 0 });
    expect(sharedOptions({ limit: 4, data: queue }, 1 / 2)).toMatchObject({ capacity: 1 });
  });

  it("keep words as they are", () => {
    const window = { limit: 10, windowMs: 1_000, anchor: "first" };
    expect(sharedOptions({ limit: 10, data: window }, 1 / 2)).toEqual({
      limit: 5,
      window: 1_000,
      anchor: "first",
    });
  });

  it("are none where it names neither a limit nor a capacity", () => {
    expect(sharedOptions({ limit: 10, data: { most: 10 } }, 1 / 2)).toBeUndefined();
  });
});
