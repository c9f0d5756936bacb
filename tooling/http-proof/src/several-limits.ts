import { compose } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { describe, expect, it } from "vitest";
import { bucket, serve, stillStore } from "./asking.ts";
import type { Adapter } from "./route.ts";

/** Several limits on one route. */
export function proveSeveralLimits(adapter: Adapter): void {
  describe("several limits on one route", () => {
    it("decide as one, by compose, and make one list", async () => {
      const store = stillStore();
      const burst = bucket(10, { name: "burst", store });
      const daily = fixedWindow({ name: "daily", limit: 100, window: "1d", store });
      await using server = await serve(adapter, {
        limiter: compose([burst, daily]),
        key: (seen) => ({ burst: seen.header("x-user") ?? "nobody", daily: "all" }),
        cost: () => ({ burst: 5, daily: 1 }),
      });
      const first = await server.ask({ headers: { "x-user": "ada" } });
      expect(first.headers.get("ratelimit-policy")).toBe('"burst";q=10;w=60, "daily";q=100;w=86400');
      expect(first.headers.get("ratelimit")).toMatch(/^"burst";r=5;t=30, "daily";r=99;t=\d+$/);
      await server.ask({ headers: { "x-user": "ada" } });
      const third = await server.ask({ headers: { "x-user": "ada" } });
      expect(third.status).toBe(429);
      expect(JSON.parse(third.text)["violated-policies"]).toEqual(["burst"]);
      expect((await daily.peek("all")).remaining).toBe(98);
    });

    it.skipIf(adapter.canStack === false)(
      "make one list of unique names, one layer before another",
      async () => {
        const outer = { limiter: bucket(2, { name: "outer" }), key: "a" };
        const inner = { limiter: bucket(1, { name: "inner" }), key: "a" };
        await using server = await serve(adapter, [outer, outer, inner]);
        const allowed = await server.ask();
        const policies = allowed.headers.get("ratelimit-policy")?.split(", ").sort();
        expect(policies).toEqual(['"inner";q=1;w=60', '"outer";q=2;w=60']);
        expect(allowed.headers.get("ratelimit")?.split(", ").sort()).toEqual([
          '"inner";r=0;t=60',
          '"outer";r=0;t=60',
        ]);
      },
    );

    it.skipIf(adapter.canStack === false).each([
      [5, 2],
      [2, 5],
    ])(
      "tell of the one that has the least left where there is room for one: %i and %i",
      async (outer, inner) => {
        const layer = (name: string, capacity: number) =>
          ({ limiter: bucket(capacity, { name }), key: "a", headers: "draft-6" }) as const;
        await using server = await serve(adapter, [layer("outer", outer), layer("inner", inner)]);
        const { headers } = await server.ask();
        const told = ["limit", "remaining", "reset"].map((name) => headers.get(`ratelimit-${name}`));
        expect(told).toEqual(["2", "1", "30"]);
      },
    );

    it.skipIf(adapter.canStack === false)(
      "tell of the one that denies, where there is room for one",
      async () => {
        const outer = bucket(4, { name: "outer" });
        const layers = [
          { limiter: outer, key: "a", cost: 2, headers: "legacy" },
          { limiter: bucket(3, { name: "inner" }), key: "a", cost: 2, headers: "legacy" },
        ] as const;
        await using server = await serve(adapter, layers);
        await server.ask();
        const { status, headers } = await server.ask();
        expect([status, headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]).toEqual([
          429,
          "3",
          "1",
        ]);
      },
    );

    it.skipIf(adapter.canStack === false)(
      "keep the later Retry-After, and the handler's errors their headers",
      async () => {
        const outer = { limiter: bucket(2, { name: "outer" }), key: "a" };
        const inner = { limiter: bucket(1, { name: "inner" }), key: "a" };
        await using server = await serve(adapter, [outer, inner], () => {
          throw new Error("broken");
        });
        const failed = await server.ask();
        expect([failed.status, failed.headers.get("ratelimit-policy")]).toEqual([
          500,
          expect.stringMatching(/"(inner|outer)".*, "(inner|outer)"/),
        ]);
        const denied = await server.ask();
        expect([denied.status, denied.headers.get("retry-after")]).toEqual([429, "60"]);
        expect(JSON.parse(denied.text)["violated-policies"]).toEqual(["inner"]);
      },
    );
  });
}
