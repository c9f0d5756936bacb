import { setTimeout as sleep } from "node:timers/promises";
import { type PartialRateLimitOptions, rateLimit } from "@sluice/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { bucket } from "./bucket.ts";

async function denying(onLimited: PartialRateLimitOptions["onLimited"]): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(rateLimit, { limiter: bucket("api", 0), key: "a", onLimited });
  // so that a reply is not sent at once
  app.addHook("onSend", async () => void (await sleep(20)));
  app.get("/", async () => "the handler's");
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send("nowhere"));
  return app;
}

describe("onLimited", () => {
  it("that sends nothing lets the handler run, and its response has the headers", async () => {
    const app = await denying(() => {});
    const { statusCode, body, headers } = await app.inject("/");
    expect([statusCode, body]).toEqual([200, "the handler's"]);
    expect(headers["ratelimit-policy"]).toBe('"api";q=0');
  });

  it.each<[string, NonNullable<PartialRateLimitOptions["onLimited"]>]>([
    ["sends", (_request, reply) => void reply.send("its own")],
    ["returns what it sends", (_request, reply) => reply.send("its own")],
    [
      "waits before it sends",
      async (_request, reply) => {
        await sleep(5);
        reply.send("its own");
      },
    ],
    ["hijacks", (_request, reply) => void reply.hijack().raw.end("its own")],
  ])("that %s keeps the handler away", async (_, onLimited) => {
    expect((await (await denying(onLimited)).inject("/")).body).toBe("its own");
  });

  it("may say that there is nothing", async () => {
    const app = await denying((_request, reply) => reply.callNotFound());
    const { statusCode, body } = await app.inject("/");
    expect([statusCode, body]).toEqual([404, "nowhere"]);
  });

  it("may redirect", async () => {
    const app = await denying((_request, reply) => void reply.redirect("/queue"));
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers.location, headers["ratelimit-policy"]]).toEqual([302, "/queue", '"api";q=0']);
  });
});
