import { describe, expect, it } from "vitest";
import { bucket, serve } from "./asking.ts";
import type { Adapter } from "./route.ts";

/** What is denied. */
export function proveDenials(adapter: Adapter): void {
  describe("a request that is denied", () => {
    it("is answered 429 with the details of the problem, and the handler does not run", async () => {
      await using server = await serve(adapter, { limiter: bucket(1), key: "a" });
      await server.ask();
      const { status, text, headers } = await server.ask();
      expect(status).toBe(429);
      expect(JSON.parse(text)).toEqual({
        type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
        title: "Quota Exceeded",
        status: 429,
        detail: 'The limit "api" does not allow this request. Try again in 60 s.',
        "violated-policies": ["api"],
      });
      expect(headers.get("content-type")).toMatch(/^application\/problem\+json(;|$)/);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("retry-after")).toBe("60");
      expect(headers.get("ratelimit-policy")).toBe('"api";q=1;w=60');
      expect(headers.get("ratelimit")).toBe('"api";r=0;t=60');
      expect([server.runs(), server.errors]).toEqual([1, []]);
    });

    it("has no Retry-After where it can never pass", async () => {
      await using server = await serve(adapter, { limiter: bucket(1), key: "a", cost: 2 });
      const { status, headers } = await server.ask();
      expect([status, headers.has("retry-after")]).toEqual([429, false]);
    });

    it("is answered in plain text, if you say so", async () => {
      await using server = await serve(adapter, { limiter: bucket(0), key: "a", body: "text" });
      const { text, headers } = await server.ask();
      expect(headers.get("content-type")).toMatch(/^text\/plain; ?charset=utf-8$/i);
      expect(text).toMatch(/^The limit "api" does not allow this request\./);
    });

    it("is answered in your own words and type", async () => {
      await using server = await serve(adapter, {
        limiter: bucket(0),
        key: "a",
        body: ({ title }) => `<h1>${title}</h1>`,
        contentType: "text/html",
      });
      const { status, text, headers } = await server.ask();
      expect([status, text]).toEqual([429, "<h1>Quota Exceeded</h1>"]);
      expect(headers.get("content-type")).toMatch(/^text\/html/);
    });

    it("is answered with less by onLimited, and with the headers", async () => {
      await using server = await serve(adapter, {
        limiter: bucket(0),
        key: "a",
        onLimited: ({ method }, { reason }) => ({ status: 203, text: `cached, ${method} is ${reason}` }),
      });
      const { status, text, headers } = await server.ask();
      expect([status, text]).toEqual([203, "cached, GET is never"]);
      expect(headers.get("ratelimit-policy")).toBe('"api";q=0');
      expect([server.runs(), server.errors]).toEqual([0, []]);
    });

    it("and whose onLimited throws comes to the error path, once", async () => {
      const error = new Error("no cache");
      await using server = await serve(adapter, {
        limiter: bucket(0),
        key: "a",
        onLimited: () => {
          throw error;
        },
      });
      expect((await server.ask()).status).toBe(500);
      expect([server.runs(), server.errors]).toEqual([0, [error]]);
    });
  });
}
