import { compose, InvalidPolicyError, redisStore, StoreError } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { tokenBucket } from "@sluice/token-bucket";
import { describe, expect, it, vi } from "vitest";
import { rateLimit } from "../src/index.js";
import { decisionOf, stillStore } from "./decisions.js";

const bucket = (capacity = 2, name = "api") =>
  tokenBucket({
    name,
    capacity,
    refill: { tokens: Math.max(1, capacity), every: "1m" },
    store: stillStore(),
  });
const request = (init?: RequestInit) => new Request("http://a/", init);
const ok = () => vi.fn(async () => new Response("ok"));

/** A limiter whose store fails whatever is asked. */
const broken = (onStoreFailure: "throw" | "deny" = "throw") => {
  const fails = async (): Promise<never> => {
    throw new Error("gone");
  };
  const store = redisStore({ send: fails, isCluster: false }, { breaker: false });
  return tokenBucket({ name: "api", capacity: 2, refill: { tokens: 1, every: "1m" }, store, onStoreFailure });
};

describe("a request that is allowed", () => {
  it("reaches the handler with all its arguments, and its response has the headers", async () => {
    const handler = vi.fn(
      (_request: Request, context: { id: number }) => new Response(`hello ${context.id}`),
    );
    const limited = rateLimit({ limiter: bucket(), key: "a" })(handler);
    const asked = request();
    const response = await limited(asked, { id: 7 });
    expect(await response.text()).toBe("hello 7");
    expect(handler.mock.calls).toEqual([[asked, { id: 7 }]]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "ratelimit-policy": '"api";q=2;w=60',
      ratelimit: '"api";r=1;t=30',
    });
  });

  it("counts against the key, at the cost, and leaves the reserve that are told of it", async () => {
    const limiter = bucket(10);
    const limited = rateLimit({
      limiter,
      key: (_request, info: { ip: string }) => ["ip", info.ip],
      cost: async (asked) => (asked.method === "POST" ? 3 : 1),
      reserve: (asked) => (asked.headers.has("x-staff") ? 0 : 5),
    })(ok());
    await limited(request({ method: "POST" }), { ip: "192.0.2.1" });
    expect((await limiter.peek(["ip", "192.0.2.1"])).remaining).toBe(7);
    expect((await limited(request({ method: "POST" }), { ip: "192.0.2.1" })).status).toBe(429);
    const staff = request({ method: "POST", headers: { "x-staff": "1" } });
    expect((await limited(staff, { ip: "192.0.2.1" })).status).toBe(200);
  });

  it("is held for as long as its slot in a queue says", async () => {
    const limiter = { name: "queue", consume: async () => decisionOf({ delayMs: 60 }), refund: vi.fn() };
    const startMs = performance.now();
    await rateLimit({ limiter, key: "a" })(ok())(request());
    expect(performance.now() - startMs).toBeGreaterThan(50);
  });

  it("and whose client leaves while it is held gives its slot back", async () => {
    const refund = vi.fn(async () => {});
    const limiter = { name: "queue", consume: async () => decisionOf({ delayMs: 60_000 }), refund };
    const handler = ok();
    const leaving = request({ signal: AbortSignal.timeout(20) });
    await expect(rateLimit({ limiter, key: "a" })(handler)(leaving)).rejects.toThrow("timeout");
    expect([refund.mock.calls.length, handler.mock.calls.length]).toEqual([1, 0]);
  });
});

describe("a request that is denied", () => {
  it("is answered 429, and the handler does not run", async () => {
    const handler = ok();
    const limited = rateLimit({ limiter: bucket(1), key: "a" })(handler);
    await limited(request());
    const response = await limited(request());
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("60");
    expect(await response.json()).toMatchObject({ "violated-policies": ["api"] });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it("is answered with less where onLimited says so, and with the headers", async () => {
    const onLimited = async () => new Response("from the cache", { headers: { "retry-after": "1" } });
    const limited = rateLimit({ limiter: bucket(0), key: "a", onLimited })(ok());
    const response = await limited(request());
    expect([response.status, await response.text()]).toEqual([200, "from the cache"]);
    expect(response.headers.get("ratelimit")).toMatch('"api";r=0');
  });
});

describe("errors", () => {
  it("of the key are the caller's, once, and the handler does not run", async () => {
    const handler = ok();
    const key = vi.fn(() => {
      throw new StoreError("no session", { mayHaveCounted: false });
    });
    const limited = rateLimit({ limiter: bucket(), key, onStoreFailure: "allow" })(handler);
    await expect(limited(request())).rejects.toThrow("no session");
    expect([key.mock.calls.length, handler.mock.calls.length]).toEqual([1, 0]);
  });

  it("of the handler stay its own", async () => {
    const error = new Error("broken");
    const limited = rateLimit({ limiter: bucket(), key: "a" })(() => {
      throw error;
    });
    await expect(limited(request())).rejects.toBe(error);
  });

  it("that the handler answers have the headers too", async () => {
    const limited = rateLimit({ limiter: bucket(), key: "a" })(() => new Response(null, { status: 500 }));
    const response = await limited(request());
    expect([response.status, response.headers.get("ratelimit")]).toEqual([500, '"api";r=1;t=30']);
  });
});

describe("where the store fails", () => {
  it("the limiter's own policy denies with 503", async () => {
    const handler = ok();
    const response = await rateLimit({ limiter: broken("deny"), key: "a" })(handler)(request());
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(handler).not.toHaveBeenCalled();
  });

  it.each([
    ["deny", 503],
    ["allow", 200],
  ] as const)("and its limiter throws, onStoreFailure: %j answers %i", async (onStoreFailure, status) => {
    const limited = rateLimit({ limiter: broken(), key: "a", onStoreFailure })(ok());
    expect((await limited(request())).status).toBe(status);
  });

  it("and nothing is said, the error is the caller's", async () => {
    const limited = rateLimit({ limiter: broken(), key: "a" })(ok());
    await expect(limited(request())).rejects.toThrow(StoreError);
  });
});

describe("not limited is", () => {
  it("what skip says, and then there are no headers", async () => {
    const limited = rateLimit({ limiter: bucket(0), key: "a", skip: (asked) => asked.method === "HEAD" })(
      ok(),
    );
    const response = await limited(request({ method: "HEAD" }));
    expect([response.status, response.headers.has("ratelimit")]).toEqual([200, false]);
    expect((await limited(request())).status).toBe(429);
  });

  it("OPTIONS, unless you say so", async () => {
    const options = { limiter: bucket(0), key: "a" };
    const preflight = request({ method: "OPTIONS" });
    expect((await rateLimit(options)(ok())(preflight)).status).toBe(200);
    expect((await rateLimit({ ...options, preflight: "limit" })(ok())(preflight)).status).toBe(429);
  });
});

describe("refundWhen", () => {
  const refundWhen = (status: number) => status < 400;

  it("gives back after the statuses that it names: only failed log-ins count", async () => {
    const limiter = bucket(5);
    let status = 401;
    const limited = rateLimit({ limiter, key: "a", refundWhen })(() => new Response(null, { status }));
    await limited(request());
    status = 204;
    await limited(request());
    expect((await limiter.peek("a")).remaining).toBe(4);
  });

  it("takes a handler that throws for a 500", async () => {
    const limiter = bucket(5);
    const limited = rateLimit({ limiter, key: "a", refundWhen: (status) => status === 500 })(() => {
      throw new Error("broken");
    });
    await expect(limited(request())).rejects.toThrow("broken");
    expect((await limiter.peek("a")).remaining).toBe(5);
  });
});

describe("several limits on one route", () => {
  it("make one list, by compose", async () => {
    const store = stillStore();
    const burst = tokenBucket({ name: "burst", capacity: 10, refill: { tokens: 10, every: "1m" }, store });
    const daily = fixedWindow({ name: "daily", limit: 100, window: "1d", store });
    const limiter = compose([burst, daily]);
    const key = (asked: Request) => ({ burst: asked.method, daily: "all" });
    const response = await rateLimit({ limiter, key, cost: { burst: 5, daily: 1 } })(ok())(request());
    expect(response.headers.get("ratelimit-policy")).toBe('"burst";q=10;w=60, "daily";q=100;w=86400');
    expect(response.headers.get("ratelimit")).toMatch(/^"burst";r=5;t=30, "daily";r=99;t=\d+$/);
  });

  it("make one list of unique names, by one wrapper around another", async () => {
    const inner = rateLimit({ limiter: bucket(10, "inner"), key: "a" });
    const outer = rateLimit({ limiter: bucket(2, "outer"), key: "a" });
    const response = await outer(outer(inner(ok())))(request());
    expect(response.headers.get("ratelimit-policy")).toBe('"inner";q=10;w=60, "outer";q=2;w=60');
  });

  it("keep the later Retry-After", async () => {
    const denied = async (bySelf: string) => {
      const onLimited = () => new Response(null, { status: 429, headers: { "retry-after": bySelf } });
      const limited = rateLimit({ limiter: bucket(1), key: "a", onLimited })(ok());
      await limited(request());
      return (await limited(request())).headers.get("retry-after");
    };
    expect([await denied("99"), await denied("1")]).toEqual(["99", "60"]);
  });
});

it("a response that its handler returns again and again tells each caller of his own", async () => {
  const shared = new Response(null, { status: 204 });
  const limited = rateLimit({ limiter: bucket(), key: (asked) => asked.headers.get("x-user") ?? "" })(
    () => shared,
  );
  const left = async (user: string): Promise<string | null> =>
    (await limited(request({ headers: { "x-user": user } }))).headers.get("ratelimit");
  expect([await left("a"), await left("a"), await left("b")]).toEqual([
    '"api";r=1;t=30',
    '"api";r=0;t=60',
    '"api";r=1;t=30',
  ]);
  expect(shared.headers.has("ratelimit")).toBe(false);
});

describe("functions that say too little", () => {
  it("as a refundWhen that is async, are errors and give nothing back", async () => {
    const limiter = bucket(5);
    const refundWhen = async (status: number): Promise<boolean> => status < 400;
    // @ts-expect-error a caller without types
    const limited = rateLimit({ limiter, key: "a", refundWhen })(ok());
    await expect(limited(request())).rejects.toThrow(InvalidPolicyError);
    expect((await limiter.peek("a")).remaining).toBe(4);
  });

  it("as a body that is no text, are errors", async () => {
    // @ts-expect-error a caller without types
    const limited = rateLimit({ limiter: bucket(0), key: "a", body: () => ({ error: "no" }) })(ok());
    await expect(limited(request())).rejects.toThrow(InvalidPolicyError);
  });
});

describe("a response whose headers cannot be changed", () => {
  it("is copied: a redirect", async () => {
    const limited = rateLimit({ limiter: bucket(), key: "a" })(() => Response.redirect("http://b/", 302));
    const response = await limited(request());
    expect([response.status, response.headers.get("location")]).toEqual([302, "http://b/"]);
    expect(response.headers.get("ratelimit")).toBe('"api";r=1;t=30');
  });

  it("is copied: what was fetched, body and all", async () => {
    const limited = rateLimit({ limiter: bucket(), key: "a" })(() => fetch("data:text/plain,hello"));
    const response = await limited(request());
    expect(await response.text()).toBe("hello");
    expect(response.headers.get("ratelimit")).toBe('"api";r=1;t=30');
  });

  it("is left as it is where no copy can be made", async () => {
    const failed = Response.error();
    expect(await rateLimit({ limiter: bucket(), key: "a" })(() => failed)(request())).toBe(failed);
  });
});

it("headers: false leaves only Retry-After", async () => {
  const limited = rateLimit({ limiter: bucket(1), key: "a", headers: false })(ok());
  expect((await limited(request())).headers.has("ratelimit")).toBe(false);
  expect((await limited(request())).headers.get("retry-after")).toBe("60");
});

it.each([
  {},
  { limiter: bucket() },
  { limiter: {}, key: "a" },
  { limiter: bucket(), key: "a", keys: "b" },
  { limiter: bucket(), key: "a", skip: true },
  { limiter: bucket(), key: "a", headers: "draft-7" },
  { limiter: bucket(), key: "a", onStoreFailure: "open" },
  undefined,
])("options are refused: %j", (options) => {
  // @ts-expect-error a caller without types
  expect(() => rateLimit(options)).toThrow(InvalidPolicyError);
});
