import { setTimeout as sleep } from "node:timers/promises";
import { type PartialRateLimitOptions, rateLimit } from "@sluice/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { bucket } from "./bucket.ts";

/** An app that denies, and how often a handler of it has run. */
async function denying(
  onLimited: PartialRateLimitOptions["onLimited"],
): Promise<{ app: FastifyInstance; runs: () => number }> {
  const app = fastify();
  let runs = 0;
  await app.register(rateLimit, { limiter: bucket("api", 0), key: "a", onLimited });
  // so that a reply is not sent at once
  app.addHook("onSend", async () => void (await sleep(20)));
  app.get("/", async () => {
    runs += 1;
    return "the handler's";
  });
  app.setNotFoundHandler(async (_request, reply) => {
    runs += 1;
    await sleep(5);
    return reply.code(404).send("nowhere");
  });
  return { app, runs: () => runs };
}

describe("onLimited", () => {
  it("that sends nothing lets the handler run, and its response has the headers", async () => {
    const { app, runs } = await denying(() => {});
    const { statusCode, body, headers } = await app.inject("/");
    expect([statusCode, body, runs()]).toEqual([200, "the handler's", 1]);
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
    const { app, runs } = await denying(onLimited);
    expect((await app.inject("/")).body).toBe("its own");
    expect(runs()).toBe(0);
  });

  it("may say that there is nothing", async () => {
    const { app, runs } = await denying((_request, reply) => void reply.callNotFound());
    const { statusCode, body } = await app.inject("/");
    expect([statusCode, body, runs()]).toEqual([404, "nowhere", 1]);
  });

  it("may redirect", async () => {
    const { app, runs } = await denying((_request, reply) => void reply.redirect("/queue"));
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers.location, runs()]).toEqual([302, "/queue", 0]);
    expect(headers["ratelimit-policy"]).toBe('"api";q=0');
  });
});
