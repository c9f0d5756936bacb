import { rateLimit } from "@sluice/fastify";
import fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { bucket } from "./bucket.ts";

const hello = async (): Promise<string> => "hello";
const byUser = ({ headers }: FastifyRequest): string => String(headers["x-user"]);

async function limitedApp(): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(rateLimit, { limiter: bucket("api", 9), key: byUser });
  return app;
}

describe("a route", () => {
  it("with options of its own has the others from the registration", async () => {
    const app = await limitedApp();
    app.get("/search", { config: { rateLimit: { cost: 3 } } }, hello);
    const search = { url: "/search", headers: { "x-user": "ada" } };
    expect((await app.inject(search)).headers.ratelimit).toMatch('"api";r=6;');
    expect((await app.inject({ ...search, headers: { "x-user": "bob" } })).headers.ratelimit).toMatch(
      '"api";r=6;',
    );
  });

  it("with a limiter of its own is limited by that one alone", async () => {
    const app = await limitedApp();
    await app.register(async (scope) => {
      await scope.register(rateLimit, { limiter: bucket("inner", 9), key: "a" });
      scope.post("/login", { config: { rateLimit: { limiter: bucket("login", 1), key: "b" } } }, hello);
    });
    const { headers } = await app.inject({ method: "POST", url: "/login" });
    expect(headers["ratelimit-policy"]).toBe('"login";q=1;w=60');
  });

  it("with rateLimit: false is not limited by any registration", async () => {
    const app = await limitedApp();
    await app.register(async (scope) => {
      await scope.register(rateLimit, { limiter: bucket("inner", 0), key: "a" });
      scope.get("/health", { config: { rateLimit: false } }, hello);
    });
    const { statusCode, headers } = await app.inject("/health");
    expect([statusCode, headers["ratelimit-policy"]]).toEqual([200, undefined]);
  });

  it("sets an option back to its default by undefined", async () => {
    const app = fastify();
    await app.register(rateLimit, { limiter: bucket("api", 9), key: "a", cost: 5 });
    app.get("/", { config: { rateLimit: { cost: undefined } } }, hello);
    expect((await app.inject("/")).headers.ratelimit).toMatch('"api";r=8;');
  });

  it("is the only one to be limited where the registration has no limiter", async () => {
    const app = fastify();
    await app.register(rateLimit);
    app.get("/login", { config: { rateLimit: { limiter: bucket("login", 1), key: "a" } } }, hello);
    app.get("/free", hello);
    expect((await app.inject("/login")).headers.ratelimit).toBe('"login";r=0;t=60');
    expect((await app.inject("/free")).headers.ratelimit).toBeUndefined();
  });

  it.each(["GET", "HEAD"] as const)(
    "counts once by %s, also the HEAD that comes with GET",
    async (method) => {
      const limiter = bucket("api", 9);
      const own = bucket("own", 9);
      const app = fastify();
      await app.register(rateLimit, { limiter, key: "a" });
      app.get("/", hello);
      app.get("/own", { config: { rateLimit: { limiter: own } } }, hello);
      expect((await app.inject({ method, url: "/" })).headers.ratelimit).toMatch('"api";r=8;');
      expect((await app.inject({ method, url: "/own" })).headers.ratelimit).toMatch('"own";r=8;');
      expect([(await limiter.peek("a")).remaining, (await own.peek("a")).remaining]).toEqual([8, 8]);
    },
  );
});

describe("the option hook", () => {
  const bodies = {
    limiter: bucket("login", 1),
    key: ({ body }: FastifyRequest) => `user:${JSON.stringify(body)}`,
  };

  it("lets the key be made of the parsed body", async () => {
    const app = fastify();
    await app.register(rateLimit, { ...bodies, limiter: bucket("login", 1), hook: "preHandler" });
    app.post("/", hello);
    const post = (user: string) => app.inject({ method: "POST", url: "/", payload: { user } });
    expect([(await post("ada")).statusCode, (await post("bob")).statusCode]).toEqual([200, 200]);
    expect((await post("ada")).statusCode).toBe(429);
  });

  it("may be a route's own", async () => {
    const app = await limitedApp();
    app.post("/", { config: { rateLimit: { ...bodies, hook: "preValidation" } } }, hello);
    await app.inject({ method: "POST", url: "/", payload: { user: "ada" } });
    expect((await bodies.limiter.peek('user:{"user":"ada"}')).remaining).toBe(0);
  });

  it.each(["onRequest", "preParsing", "preValidation", "preHandler"] as const)(
    "%s comes before the later ones, and a denial keeps them away",
    async (hook) => {
      const app = fastify();
      const ran: string[] = [];
      await app.register(rateLimit, { limiter: bucket("api", 0), key: "a", hook });
      app.addHook("onRequest", async () => void ran.push("onRequest"));
      app.addHook("preParsing", async () => void ran.push("preParsing"));
      app.addHook("preValidation", async () => void ran.push("preValidation"));
      app.addHook("preHandler", async () => void ran.push("preHandler"));
      app.get("/", hello);
      expect((await app.inject("/")).statusCode).toBe(429);
      const stages = ["onRequest", "preParsing", "preValidation", "preHandler"];
      expect(ran).toEqual(stages.slice(0, stages.indexOf(hook)));
    },
  );
});
