import { decisionsOf } from "@sluice/http";
import { describe, expect, it } from "vitest";
import { bucket, serve } from "./asking.ts";
import type { Adapter, Seen } from "./route.ts";

/** What is allowed, and what is not limited. */
export function proveGrants(adapter: Adapter): void {
  describe("a request that is allowed", () => {
    it("reaches the handler, and its response has the headers", async () => {
      await using server = await serve(adapter, { limiter: bucket(2), key: "a" });
      const { status, text, headers } = await server.ask();
      expect([status, text]).toEqual([200, "hello"]);
      expect(headers.get("ratelimit-policy")).toBe('"api";q=2;w=60');
      expect(headers.get("ratelimit")).toBe('"api";r=1;t=30');
      expect(headers.has("retry-after")).toBe(false);
    });

    it("counts against its own key, at its own cost", async () => {
      const limiter = bucket(10);
      await using server = await serve(adapter, {
        limiter,
        key: async (seen) => ["user", seen.header("x-user") ?? ""],
        cost: (seen) => (seen.method === "POST" ? 3 : 1),
      });
      await server.ask({ method: "POST", headers: { "x-user": "ada" } });
      await server.ask({ headers: { "x-user": "bob" } });
      expect((await limiter.peek(["user", "ada"])).remaining).toBe(7);
      expect((await limiter.peek(["user", "bob"])).remaining).toBe(9);
    });

    it("leaves the reserve to privileged callers", async () => {
      const reserve = (seen: Seen): number => (seen.header("x-staff") === undefined ? 5 : 0);
      await using server = await serve(adapter, { limiter: bucket(6), key: "a", reserve });
      expect((await server.ask()).status).toBe(200);
      expect((await server.ask()).status).toBe(429);
      expect((await server.ask({ headers: { "x-staff": "1" } })).status).toBe(200);
    });

    it("is judged by the limiter of its plan", async () => {
      const free = bucket(1);
      const pro = free.with({ capacity: 3 });
      const limiter = async (seen: Seen) => (seen.header("x-plan") === "pro" ? pro : free);
      await using server = await serve(adapter, { limiter, key: "a" });
      expect((await server.ask()).headers.get("ratelimit-policy")).toBe('"api";q=1;w=60');
      expect((await server.ask()).status).toBe(429);
      const { status, headers } = await server.ask({ headers: { "x-plan": "pro" } });
      expect([status, headers.get("ratelimit-policy")]).toEqual([200, '"api";q=3;w=180']);
    });

    it("counts once by HEAD", async () => {
      const limiter = bucket(2);
      await using server = await serve(adapter, { limiter, key: "a" });
      const { status, headers } = await server.ask({ method: "HEAD" });
      expect([status, headers.get("ratelimit")]).toEqual([200, '"api";r=1;t=30']);
      expect((await limiter.peek("a")).remaining).toBe(1);
    });

    it("shows its handler what was decided", async () => {
      await using server = await serve(adapter, { limiter: bucket(7), key: "a" }, (_seen, request) => ({
        status: 200,
        text: decisionsOf(request)
          .map(({ name, remaining }) => `${name} ${remaining}`)
          .join(),
      }));
      expect((await server.ask()).text).toBe("api 6");
    });

    it("is one of no more than there may be, however many come at once", async () => {
      await using server = await serve(adapter, { limiter: bucket(10), key: "a" });
      const answers = await Promise.all(Array.from({ length: 40 }, () => server.ask()));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
      expect(server.runs()).toBe(10);
    });
  });

  describe("headers", () => {
    it.each([
      ["legacy", { "x-ratelimit-limit": "2", "x-ratelimit-remaining": "1", "x-ratelimit-reset": "30" }],
      ["draft-6", { "ratelimit-limit": "2", "ratelimit-remaining": "1", "ratelimit-reset": "30" }],
      [false, { "ratelimit-policy": null, "x-ratelimit-limit": null }],
    ] as const)("are written as said: %j", async (headers, expected) => {
      await using server = await serve(adapter, { limiter: bucket(2), key: "a", headers });
      const answer = await server.ask();
      for (const [name, value] of Object.entries(expected)) expect(answer.headers.get(name)).toBe(value);
    });
  });

  describe("not limited is", () => {
    it("what skip says, and then there are no headers", async () => {
      const skip = async (seen: Seen): Promise<boolean> => seen.header("x-probe") !== undefined;
      await using server = await serve(adapter, { limiter: bucket(0), key: "a", skip });
      const { status, headers } = await server.ask({ headers: { "x-probe": "1" } });
      expect([status, headers.has("ratelimit-policy")]).toEqual([200, false]);
      expect((await server.ask()).status).toBe(429);
    });

    it.each([
      ["skip", 200],
      ["limit", 429],
    ] as const)("OPTIONS, with preflight: %j it is answered %i", async (preflight, status) => {
      await using server = await serve(adapter, { limiter: bucket(0), key: "a", preflight });
      expect((await server.ask({ method: "OPTIONS" })).status).toBe(status);
    });
  });

  describe("refundWhen", () => {
    it("gives back after the statuses that it names: only failed log-ins count", async () => {
      const limiter = bucket(2);
      const refundWhen = (status: number): boolean => status < 400;
      await using server = await serve(adapter, { limiter, key: "a", refundWhen }, (seen) => ({
        status: seen.header("x-password") === "right" ? 200 : 401,
        text: "",
      }));
      const right = { headers: { "x-password": "right" } };
      expect((await server.ask(right)).headers.get("ratelimit")).toBe('"api";r=1;t=30');
      for (const _ of Array.from({ length: 5 })) expect((await server.ask(right)).status).toBe(200);
      expect((await limiter.peek("a")).remaining).toBe(2);
      expect([(await server.ask()).status, (await server.ask()).status]).toEqual([401, 401]);
      expect((await server.ask(right)).status).toBe(429);
    });

    it("hears of a handler that fails as 500", async () => {
      const limiter = bucket(2);
      const statuses: number[] = [];
      const refundWhen = (status: number): boolean => statuses.push(status) > 0;
      await using server = await serve(adapter, { limiter, key: "a", refundWhen }, () => {
        throw new Error("broken");
      });
      expect((await server.ask()).status).toBe(500);
      expect(statuses).toEqual([500]);
      expect((await limiter.peek("a")).remaining).toBe(2);
    });
  });
}
