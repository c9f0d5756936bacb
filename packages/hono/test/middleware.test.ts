import { compose } from "@sluice/core";
import { rateLimit } from "@sluice/hono";
import { bucket, stillStore } from "@sluice/http-proof";
import { type Context, Hono, type Next } from "hono";
import { describe, expect, it } from "vitest";

describe("headers", () => {
  it("stand on a response whose own headers cannot be changed", async () => {
    const app = new Hono();
    app.use(rateLimit({ limiter: bucket(2, { name: "outer" }), key: "a" }));
    app.use(rateLimit({ limiter: bucket(3, { name: "inner" }), key: "a" }));
    app.get("/fetched", () => fetch("data:text/plain,hello"));
    app.get("/moved", () => Response.redirect("http://b/", 302));
    const fetched = await app.request("/fetched");
    expect([await fetched.text(), fetched.headers.get("ratelimit-policy")]).toEqual([
      "hello",
      '"inner";q=3;w=60, "outer";q=2;w=60',
    ]);
    const moved = await app.request("/moved");
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "http://b/"]);
    expect(moved.headers.get("ratelimit")).toBe('"inner";r=1;t=40, "outer";r=0;t=60');
  });

  it("stand on what is not found, and keep those of others", async () => {
    const app = new Hono();
    app.use(async (context, next) => {
      await next();
      context.header("x-served-by", "a");
    });
    app.use(rateLimit({ limiter: bucket(2), key: "a" }));
    const { status, headers } = await app.request("/nowhere");
    expect([status, headers.get("ratelimit"), headers.get("x-served-by")]).toEqual([
      404,
      '"api";r=1;t=30',
      "a",
    ]);
  });
});

describe("onLimited", () => {
  it("lets the handler run with less, by next", async () => {
    const app = new Hono<{ Variables: { isDegraded: boolean } }>();
    app.use(
      rateLimit({
        limiter: bucket(0),
        key: (context) => String(context.get("isDegraded")),
        onLimited: async (context, next) => {
          context.set("isDegraded", true);
          await next();
        },
      }),
    );
    app.get("/", (context) => context.text(context.get("isDegraded") ? "less" : "all"));
    const response = await app.request("/");
    expect([response.status, await response.text()]).toEqual([200, "less"]);
    expect(response.headers.get("ratelimit-policy")).toBe('"api";q=0');
  });

  it.each([
    ["returned", (_context: Context, next: Next) => next()],
    [
      "awaited and returned",
      async (_context: Context, next: Next) => {
        const done = await next();
        return done;
      },
    ],
  ])("may say so by next %s", async (_, onLimited) => {
    const app = new Hono();
    app.use(rateLimit({ limiter: bucket(0), key: "a", onLimited }));
    app.get("/", (context) => context.text("less"));
    const response = await app.request("/");
    expect([response.status, await response.text()]).toEqual([200, "less"]);
  });

  it("may answer with what was fetched", async () => {
    const app = new Hono();
    const onLimited = (): Promise<Response> => fetch("data:text/plain,cached");
    app.use(rateLimit({ limiter: bucket(0), key: "a", onLimited }));
    const response = await app.request("/");
    expect([await response.text(), response.headers.get("ratelimit-policy")]).toEqual([
      "cached",
      '"api";q=0',
    ]);
  });

  it("that throws leaves the headers to the response that the app makes of it", async () => {
    const app = new Hono();
    const onLimited = (): never => {
      throw new Error("no cache");
    };
    app.use(rateLimit({ limiter: bucket(0), key: "a", onLimited }));
    app.onError((_error, context) => context.text("broken", 500));
    const { status, headers } = await app.request("/");
    expect([status, headers.get("ratelimit-policy")]).toEqual([500, '"api";q=0']);
  });
});

it("keeps the headers that were set before it refuses", async () => {
  const app = new Hono();
  app.use(async (context, next) => {
    context.header("x-request-id", "7");
    await next();
  });
  app.use(rateLimit({ limiter: bucket(0), key: "a" }));
  const { status, headers } = await app.request("/");
  expect([status, headers.get("x-request-id")]).toEqual([429, "7"]);
  expect(headers.get("content-type")).toBe("application/problem+json");
});

it("limits the routes of its app alone", async () => {
  const api = new Hono()
    .use(rateLimit({ limiter: bucket(0), key: "a" }))
    .get("/", (context) => context.text(""));
  const app = new Hono().route("/api", api).get("/", (context) => context.text(""));
  expect([(await app.request("/api")).status, (await app.request("/")).status]).toEqual([429, 200]);
});

it("takes a key, a cost and a reserve by the names of a composite, and no others", () => {
  const store = stillStore();
  const burst = bucket(1, { name: "burst", store });
  const daily = bucket(9, { name: "daily", store });
  const limiter = compose([burst, daily]);
  rateLimit({ limiter, key: ({ req }) => ({ burst: req.path, daily: "all" }), cost: { burst: 1, daily: 2 } });
  // @ts-expect-error daily is missing
  rateLimit({ limiter, key: ({ req }) => ({ burst: req.path }) });
  // @ts-expect-error there is one limit
  rateLimit({ limiter: bucket(1), key: ({ req }) => ({ burst: req.path }) });
  const wrong = { limiter, key: "a", keys: "a" };
  expect(() => rateLimit(wrong)).toThrow('unknown option "keys"');
});
