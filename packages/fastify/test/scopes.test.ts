import { compose, memoryStore } from "@sluice/core";
import { rateLimit } from "@sluice/fastify";
import { tokenBucket } from "@sluice/token-bucket";
import fastify, { type FastifyInstance, type FastifyPluginAsync } from "fastify";
import { describe, expect, it } from "vitest";
import { bucket } from "./bucket.ts";

const hello = async (): Promise<string> => "hello";

/** What the limits of a path say. */
async function leftAt(app: FastifyInstance, url: string): Promise<unknown> {
  return (await app.inject(url)).headers.ratelimit;
}

const scopeAt =
  (path: string, name?: string): FastifyPluginAsync =>
  async (scope) => {
    if (name !== undefined) await scope.register(rateLimit, { limiter: bucket(name, 2), key: "a" });
    scope.get(path, hello);
  };

describe("a registration", () => {
  it("limits the routes of its scope, and neither those beside it nor those around it", async () => {
    const app = fastify();
    app.get("/around", hello);
    await app.register(scopeAt("/limited", "api"));
    await app.register(scopeAt("/beside"));
    expect(await leftAt(app, "/limited")).toBe('"api";r=1;t=30');
    expect(await leftAt(app, "/beside")).toBeUndefined();
    expect(await leftAt(app, "/around")).toBeUndefined();
  });

  it("does not see the options of routes beside it", async () => {
    const app = fastify();
    await app.register(scopeAt("/limited", "api"));
    await app.register(async (scope) => {
      const own = { limiter: bucket("own", 2), key: "a" };
      scope.get("/beside", { config: { rateLimit: own } }, hello);
    });
    expect(await leftAt(app, "/beside")).toBeUndefined();
  });

  it("limits the routes of scopes in its own", async () => {
    const app = fastify();
    await app.register(rateLimit, { limiter: bucket("api", 2), key: "a" });
    await app.register(scopeAt("/inner"));
    expect(await leftAt(app, "/inner")).toBe('"api";r=1;t=30');
  });

  it("limits beside the one around it, in one list", async () => {
    const app = fastify();
    await app.register(rateLimit, { limiter: bucket("outer", 3), key: "a" });
    await app.register(scopeAt("/inner", "inner"));
    app.get("/outer", hello);
    expect(await leftAt(app, "/inner")).toBe('"outer";r=2;t=20, "inner";r=1;t=30');
    expect(await leftAt(app, "/outer")).toBe('"outer";r=1;t=40');
  });

  it("is asked after the one around it, and not where that one denies", async () => {
    const app = fastify();
    const inner = bucket("inner", 2);
    await app.register(rateLimit, { limiter: bucket("outer", 0), key: "a" });
    await app.register(async (scope) => {
      await scope.register(rateLimit, { limiter: inner, key: "a" });
      scope.get("/", hello);
    });
    expect((await app.inject("/")).json()).toMatchObject({ "violated-policies": ["outer"] });
    expect((await inner.peek("a")).remaining).toBe(2);
  });

  it("may stand twice in one scope", async () => {
    const app = fastify();
    await app.register(rateLimit, { limiter: bucket("first", 2), key: "a" });
    await app.register(rateLimit, { limiter: bucket("second", 2), key: "a" });
    app.get("/", hello);
    expect(await leftAt(app, "/")).toBe('"first";r=1;t=30, "second";r=1;t=30');
  });

  it("limits routes that were declared before it had loaded, since nobody waited for it", async () => {
    const app = fastify();
    app.register(rateLimit, { limiter: bucket("api", 2), key: "a" });
    app.get("/", hello);
    app.get("/free", { config: { rateLimit: false } }, hello);
    expect(await leftAt(app, "/")).toBe('"api";r=1;t=30');
    expect(await leftAt(app, "/free")).toBeUndefined();
  });

  it("leaves what is no route alone", async () => {
    const app = fastify();
    await app.register(rateLimit, { limiter: bucket("api", 0), key: "a" });
    expect((await app.inject("/nowhere")).statusCode).toBe(404);
  });
});

describe("app.rateLimit()", () => {
  it("limits the handler of what was not found", async () => {
    const app = fastify();
    await app.register(rateLimit, { limiter: bucket("api", 1), key: "a" });
    app.setNotFoundHandler({ preHandler: app.rateLimit() }, async (_request, reply) =>
      reply.code(404).send(),
    );
    const [first, second] = [await app.inject("/nowhere"), await app.inject("/nowhere")];
    expect([first.statusCode, first.headers.ratelimit]).toEqual([404, '"api";r=0;t=60']);
    expect([second.statusCode, second.headers["retry-after"]]).toEqual([429, "60"]);
  });

  it("takes options over those of the nearest registration", async () => {
    const app = fastify();
    await app.register(rateLimit, { limiter: bucket("outer", 9), key: "a" });
    await app.register(
      async (scope) => {
        await scope.register(rateLimit, { limiter: bucket("inner", 9), key: "a" });
        const preHandler = scope.rateLimit({ cost: 5 });
        scope.setNotFoundHandler({ preHandler }, async (_request, reply) => reply.code(404).send());
      },
      { prefix: "/inner" },
    );
    expect(await leftAt(app, "/inner/nowhere")).toBe('"inner";r=4;t=34');
  });

  it("does not count a request again that its registration has counted", async () => {
    const app = fastify();
    await app.register(rateLimit, { limiter: bucket("api", 9), key: "a" });
    app.setNotFoundHandler({ preHandler: app.rateLimit() }, async (_request, reply) =>
      reply.code(404).send(),
    );
    app.get("/", (_request, reply) => reply.callNotFound());
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers.ratelimit]).toEqual([404, '"api";r=8;t=7']);
  });
});

describe("a composite", () => {
  it("is one limit with a key for each of its members", async () => {
    const store = memoryStore();
    const burst = tokenBucket({ name: "burst", capacity: 2, refill: { tokens: 2, every: "1h" }, store });
    const daily = tokenBucket({ name: "daily", capacity: 9, refill: { tokens: 9, every: "1d" }, store });
    const app = fastify();
    await app.register(rateLimit, {
      limiter: compose([burst, daily]),
      key: (request) => ({ burst: request.ip, daily: "all" }),
    });
    app.get("/", { config: { rateLimit: { cost: { burst: 2, daily: 3 } } } }, hello);
    expect(await leftAt(app, "/")).toMatch(/^"burst";r=0;t=\d+, "daily";r=6;t=\d+$/);
  });
});
