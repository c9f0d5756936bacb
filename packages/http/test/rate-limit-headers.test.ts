import { compose, InvalidPolicyError } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { tokenBucket } from "@sluice/token-bucket";
import fc from "fast-check";
import { parseList } from "structured-headers";
import { describe, expect, it } from "vitest";
import { type HeadersFormat, rateLimitHeaders } from "../src/index.js";
import { compositeOf, decisionOf, denialOf, spanMs, stillStore } from "./decisions.js";

const written = (...call: Parameters<typeof rateLimitHeaders>) =>
  Object.fromEntries(rateLimitHeaders(...call));

describe("the headers of one limit", () => {
  it("are those of the eleventh draft, if nothing else is said", () => {
    expect(written(decisionOf())).toEqual({
      "ratelimit-policy": '"burst";q=100;w=60',
      ratelimit: '"burst";r=50;t=30',
    });
  });

  it("are three numbers in the sixth draft", () => {
    expect(written(decisionOf(), { format: "draft-6" })).toEqual({
      "ratelimit-limit": "100",
      "ratelimit-remaining": "50",
      "ratelimit-reset": "30",
    });
  });

  it("are the same three with an X before them in the legacy format", () => {
    expect(written(decisionOf(), { format: "legacy" })).toEqual({
      "x-ratelimit-limit": "100",
      "x-ratelimit-remaining": "50",
      "x-ratelimit-reset": "30",
    });
  });

  it("round times up to whole seconds", () => {
    expect(written(decisionOf({ windowMs: 1_001, resetAfterMs: 1 }))).toEqual({
      "ratelimit-policy": '"burst";q=100;w=2',
      ratelimit: '"burst";r=50;t=1',
    });
  });

  it("tell of a denial the same time twice: until more is to be had", () => {
    expect(written(denialOf(1_200, { resetAfterMs: 60_000 }))).toMatchObject({
      ratelimit: '"burst";r=0;t=2',
      "retry-after": "2",
    });
  });

  it("leave out a window of 0, which the draft forbids", () => {
    const nothing = decisionOf({ limit: 0, windowMs: 0, remaining: 0, resetAfterMs: 0 });
    expect(written(nothing)).toMatchObject({ "ratelimit-policy": '"burst";q=0' });
  });

  it("tell a limit beyond 15 digits as the largest that a structured field can hold", () => {
    const huge = decisionOf({ limit: 2 ** 53 - 1, remaining: 2 ** 53 - 1 });
    expect(written(huge)).toMatchObject({ "ratelimit-policy": '"burst";q=999999999999999;w=60' });
  });

  it("do not say what is left where a policy allows for a store that failed", () => {
    const blind = decisionOf({ reason: "unavailable", source: "failure-policy", remaining: 0 });
    expect(written(blind)).toEqual({ "ratelimit-policy": '"burst";q=100;w=60' });
    expect(written(blind, { format: "draft-6" })).toEqual({ "ratelimit-limit": "100" });
  });
});

describe("the headers of several limits", () => {
  const daily = decisionOf({ name: "daily", limit: 1_000, windowMs: 86_400_000, remaining: 900 });

  it("are one list of all of them", () => {
    expect(written(compositeOf(decisionOf(), daily))).toEqual({
      "ratelimit-policy": '"burst";q=100;w=60, "daily";q=1000;w=86400',
      ratelimit: '"burst";r=50;t=30, "daily";r=900;t=30',
    });
  });

  it("are those of the one that decided, where there is room for one", () => {
    expect(written(compositeOf(daily, decisionOf()), { format: "draft-6" })).toMatchObject({
      "ratelimit-limit": "1000",
    });
  });

  it("hold no name twice, even if one fallback answers for two: the tighter one counts", () => {
    const [one, two] = [
      decisionOf({ name: "share", remaining: 9 }),
      decisionOf({ name: "share", remaining: 3 }),
    ];
    const both = { ...one, limits: { burst: one, daily: two } };
    expect(written(both)).toMatchObject({ ratelimit: '"share";r=3;t=30' });
  });

  it("come from a real composite as they are", async () => {
    const store = stillStore();
    const burst = tokenBucket({ name: "burst", capacity: 100, refill: { tokens: 100, every: "60s" }, store });
    const hourly = fixedWindow({ name: "hourly", limit: 1_000, window: "1h", store });
    const decision = await compose([burst, hourly]).consume("a", { cost: 50 });
    expect(written(decision)).toMatchObject({
      "ratelimit-policy": '"burst";q=100;w=60, "hourly";q=1000;w=3600',
      ratelimit: expect.stringMatching(/^"burst";r=50;t=30, "hourly";r=950;t=\d+$/),
    });
  });
});

describe("Retry-After", () => {
  it("is never earlier than the decision allows, by less than a second later, and at least 1", () => {
    fc.assert(
      fc.property(spanMs, fc.constantFrom<HeadersFormat>("draft-11", "draft-6", "legacy"), (ms, format) => {
        const seconds = Number(rateLimitHeaders(denialOf(ms), { format }).get("retry-after"));
        expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
        expect(seconds * 1_000).toBeGreaterThanOrEqual(ms);
        expect((seconds - 1) * 1_000).toBeLessThan(ms);
      }),
    );
  });

  it("is absent where the call is allowed, and where it can never pass", () => {
    expect(rateLimitHeaders(decisionOf()).has("retry-after")).toBe(false);
    expect(rateLimitHeaders(denialOf(Infinity, { reason: "never" })).has("retry-after")).toBe(false);
  });
});

it("whatever the decision, both lists can be read back, and name the same limits", () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9._-]{0,20}$/);
  const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const limit = fc
    .record({ name, limit: amount, remaining: amount, windowMs: spanMs, resetAfterMs: spanMs })
    .map(decisionOf);
  fc.assert(
    fc.property(limit, fc.array(limit, { maxLength: 5 }), (first, others) => {
      const headers = rateLimitHeaders(compositeOf(first, ...others));
      const [policies, left] = ["ratelimit-policy", "ratelimit"].map((field) =>
        parseList(headers.get(field) ?? "").map(([limitName]) => limitName),
      );
      expect(left).toEqual(policies);
      expect(new Set(left).size).toBe(left?.length);
    }),
  );
});

it.each([{ format: "draft-7" }, { formats: "legacy" }, "legacy", null])(
  "options are refused: %j",
  (options) => {
    // @ts-expect-error a caller without types
    expect(() => rateLimitHeaders(decisionOf(), options)).toThrow(InvalidPolicyError);
  },
);

it.each([undefined, null, {}, "no"])("what is no decision is refused: %j", (decision) => {
  // @ts-expect-error a caller without types
  expect(() => rateLimitHeaders(decision)).toThrow(InvalidPolicyError);
});
