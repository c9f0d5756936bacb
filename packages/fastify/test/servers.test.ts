import { once } from "node:events";
import { connect } from "node:http2";
import { rateLimit } from "@sluice/fastify";
import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { bucket } from "./bucket.ts";

// what counts here is that these compile
describe("app.rateLimit() is a hook", () => {
  it("of a server by HTTP/2: of its routes, of what is not found, and of the instance", async () => {
    const app = fastify({ http2: true });
    await app.register(rateLimit, { key: "a" });
    const hook = app.rateLimit({ limiter: bucket("api", 5) });
    app.get(
      "/",
      { onRequest: hook, preParsing: [hook], preValidation: hook, preHandler: [hook] },
      async () => "hello",
    );
    app.setNotFoundHandler({ preValidation: hook, preHandler: hook }, async (_request, reply) =>
      reply.code(404).send(),
    );
    await app.register(async (scope) => {
      scope.addHook("onRequest", hook);
      scope.get("/scope", async () => "hello");
    });
    const session = connect(await app.listen({ port: 0, host: "127.0.0.1" }));
    const left: unknown[] = [];
    for (const path of ["/", "/nowhere", "/scope"]) {
      const stream = session.request({ ":path": path });
      const [[headers]] = await Promise.all([once(stream, "response"), once(stream.resume(), "end")]);
      left.push([headers[":status"], headers.ratelimit]);
    }
    session.close();
    await app.close();
    expect(left).toEqual([
      [200, '"api";r=4;t=12'],
      [404, '"api";r=3;t=24'],
      [200, '"api";r=2;t=36'],
    ]);
  });

  it("of a server by HTTPS", async () => {
    const app = fastify({ https: {} });
    await app.register(rateLimit, { limiter: bucket("api", 5), key: "a" });
    app.get("/", { onRequest: app.rateLimit() }, async () => "hello");
    app.setNotFoundHandler({ preHandler: app.rateLimit() }, async (_request, reply) =>
      reply.code(404).send(),
    );
    expect((await app.inject("/nowhere")).headers.ratelimit).toBe('"api";r=4;t=12');
  });

  it("of a route with types of its own", async () => {
    const app = fastify();
    await app.register(rateLimit, { limiter: bucket("api", 5), key: "a" });
    const onRequest = app.rateLimit();
    app.post<{ Body: { user: string }; Reply: { 200: string } }>(
      "/",
      { onRequest },
      async ({ body }) => body.user,
    );
    const { body } = await app.inject({ method: "POST", url: "/", payload: { user: "ada" } });
    expect(body).toBe("ada");
  });
});
