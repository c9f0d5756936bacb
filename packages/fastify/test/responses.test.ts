import { createReadStream } from "node:fs";
import { type RateLimitOptions, rateLimit } from "@sluice/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { bucket } from "./bucket.ts";

async function limitedApp(options: Partial<RateLimitOptions> = {}): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(rateLimit, { limiter: bucket("api", 2), key: "a", ...options });
  return app;
}

const LEFT = '"api";r=1;t=30';

describe("the headers are on the response", () => {
  it("of a custom error handler, also one that clears them", async () => {
    const app = await limitedApp();
    app.setErrorHandler((_error, _request, reply) => {
      for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
      return reply.code(418).send("teapot");
    });
    app.get("/", async () => {
      throw new Error("broken");
    });
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers.ratelimit]).toEqual([418, LEFT]);
  });

  it("of an error of the serializer", async () => {
    const app = await limitedApp();
    const circle: { self?: object } = {};
    circle.self = circle;
    app.get("/", async () => circle);
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers.ratelimit]).toEqual([500, LEFT]);
  });

  it.each(["before", "after"])("where a hook of onSend %s the registration fails", async (when) => {
    const app = fastify();
    const fail = async (): Promise<never> => {
      throw new Error("broken");
    };
    if (when === "before") app.addHook("onSend", fail);
    await app.register(rateLimit, { limiter: bucket("api", 2), key: "a" });
    if (when === "after") app.addHook("onSend", fail);
    app.get("/", async () => "hello");
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers.ratelimit]).toEqual([500, LEFT]);
  });

  it("of a route that says that there is nothing", async () => {
    const app = await limitedApp();
    app.get("/", (_request, reply) => reply.callNotFound());
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers.ratelimit]).toEqual([404, LEFT]);
  });

  it("of a body that is refused before the handler", async () => {
    const app = await limitedApp();
    app.post("/", async () => "hello");
    const headers = { "content-type": "application/json" };
    const answer = await app.inject({ method: "POST", url: "/", headers, payload: "{" });
    expect([answer.statusCode, answer.headers.ratelimit]).toEqual([400, LEFT]);
  });

  it.each(["a stream", "a stream that fails", "a web response"])("of %s", async (what) => {
    const app = await limitedApp();
    app.get("/", async () => {
      if (what === "a web response") return new Response("hello");
      return createReadStream(what === "a stream" ? import.meta.filename : "/nowhere");
    });
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers.ratelimit]).toEqual([what.endsWith("fails") ? 500 : 200, LEFT]);
  });

  it("that a handler hijacks with the headers of its reply", async () => {
    const app = await limitedApp();
    app.get("/", (_request, reply) => {
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? "");
      reply.raw.end("hello");
    });
    expect((await app.inject("/")).headers.ratelimit).toBe(LEFT);
  });

  it.each(["its reply", "a web response"])("in one list with those that %s has itself", async (whose) => {
    const app = await limitedApp();
    app.get("/", async (_request, reply) => {
      if (whose === "its reply") return reply.header("RateLimit", '"own";r=7').send("hello");
      return new Response("hello", { headers: { RateLimit: '"own";r=7' } });
    });
    const { body, headers } = await app.inject("/");
    expect([body, headers.ratelimit]).toEqual(["hello", `"own";r=7, ${LEFT}`]);
  });
});

describe("refundWhen", () => {
  /** An app, and the statuses of which its limit has heard. */
  async function listening(): Promise<{ app: FastifyInstance; heard: number[] }> {
    const heard: number[] = [];
    const app = await limitedApp({ refundWhen: (status) => heard.push(status) > 0 });
    return { app, heard };
  }

  it("hears of the status once, also where an error handler sends again", async () => {
    const { app, heard } = await listening();
    app.addHook("onSend", async () => {
      throw new Error("broken");
    });
    app.get("/", async () => "hello");
    expect((await app.inject("/")).statusCode).toBe(500);
    expect(heard).toHaveLength(1);
  });

  it("hears of the status of an error handler", async () => {
    const { app, heard } = await listening();
    app.setErrorHandler((_error, _request, reply) => reply.code(418).send("teapot"));
    app.get("/", async () => {
      throw new Error("broken");
    });
    await app.inject("/");
    expect(heard).toEqual([418]);
  });

  it("hears of the status of a web response", async () => {
    const { app, heard } = await listening();
    app.get("/", async () => new Response(null, { status: 304 }));
    expect((await app.inject("/")).statusCode).toBe(304);
    expect(heard).toEqual([304]);
  });

  it("hears of a response that was hijacked", async () => {
    const { app, heard } = await listening();
    app.get("/", (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(202).end();
    });
    await app.inject("/");
    await expect.poll(() => heard).toEqual([202]);
  });
});
