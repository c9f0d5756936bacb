import { Readable } from "node:stream";
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

  it.each<[string, string, NonNullable<PartialRateLimitOptions["onLimited"]>, number, string]>([
    ["an object", "429", () => ({ slow: "down" }), 429, '{"slow":"down"}'],
    [
      "a promise of one",
      "the status that it sets",
      async (_request, reply) => {
        reply.code(418);
        await sleep(5);
        return { slow: "down" };
      },
      418,
      '{"slow":"down"}',
    ],
    ["a text", "429", () => "slow down", 429, "slow down"],
    ["null", "429", () => null, 429, "null"],
    ["a stream", "429", () => Readable.from(["slow ", "down"]), 429, "slow down"],
    ["a web response", "its status", () => new Response("slow down", { status: 503 }), 503, "slow down"],
    [
      "an error",
      "429",
      () => new Error("slow down"),
      429,
      '{"statusCode":429,"error":"Too Many Requests","message":"slow down"}',
    ],
    [
      "an error with a status",
      "that",
      () => Object.assign(new Error("slow down"), { statusCode: 503 }),
      503,
      '{"statusCode":503,"error":"Service Unavailable","message":"slow down"}',
    ],
  ])("that returns %s answers with it and %s", async (_, _status, onLimited, status, text) => {
    const { app, runs } = await denying(onLimited);
    const { statusCode, body, headers } = await app.inject("/");
    expect([statusCode, body, runs()]).toEqual([status, text, 0]);
    expect(headers["ratelimit-policy"]).toBe('"api";q=0');
  });

  it.each<[string, NonNullable<PartialRateLimitOptions["onLimited"]>]>([
    [
      "sent",
      (_request, reply) => {
        reply.send("its own");
        return "more";
      },
    ],
    ["hijacked", (_request, reply) => reply.hijack().raw.end("its own")],
    [
      "begun",
      (_request, reply) => {
        setTimeout(() => reply.raw.end("its own"), 5);
        return reply.raw.writeHead(200);
      },
    ],
  ])("that returns something after it has %s a response keeps to that one", async (_, onLimited) => {
    const { app, runs } = await denying(onLimited);
    const { statusCode, body } = await app.inject("/");
    expect([statusCode, body, runs()]).toEqual([200, "its own", 0]);
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
