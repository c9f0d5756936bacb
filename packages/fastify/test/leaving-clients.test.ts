import { setTimeout as sleep } from "node:timers/promises";
import { type RateLimitOptions, rateLimit } from "@sluice/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { bucket } from "./bucket.ts";

/** A server whose warnings and errors are kept. */
function logging(): { app: FastifyInstance; lines: string[] } {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  return { app: fastify({ logger: { level: "warn", stream }, forceCloseConnections: true }), lines };
}

/** A limiter that holds each request. */
function holding(limiter: ReturnType<typeof bucket>, delayMs: number): RateLimitOptions["limiter"] {
  return {
    name: limiter.name,
    consume: async (key, units) => ({ ...(await limiter.consume(key, units)), delayMs }),
    refund: (decision) => limiter.refund(decision),
  };
}

/** Asks, and leaves when the condition holds. */
async function leaveWhen(url: string, isTime: () => boolean | Promise<boolean>): Promise<void> {
  const leaving = new AbortController();
  const left = fetch(url, { signal: leaving.signal }).catch(() => "left");
  while (!(await isTime())) await sleep(5);
  leaving.abort();
  expect(await left).toBe("left");
}

describe("a client that leaves", () => {
  it("while it is held leaves nothing behind: no handler, no log, no open server", async () => {
    const { app, lines } = logging();
    const limiter = bucket("queue", 5);
    let runs = 0;
    await app.register(rateLimit, { limiter: holding(limiter, 3_600_000), key: "a" });
    app.get("/", async () => {
      runs += 1;
      return "hello";
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    await leaveWhen(url, async () => (await limiter.peek("a")).remaining === 4);
    await expect.poll(async () => (await limiter.peek("a")).remaining).toBe(5);
    await app.close();
    expect([runs, lines]).toEqual([0, []]);
  });

  it("while a slow hook keeps its refusal does not reach the handler", async () => {
    const { app } = logging();
    let isSending = false;
    let isSent = false;
    let runs = 0;
    await app.register(rateLimit, { limiter: bucket("api", 0), key: "a" });
    app.addHook("onSend", async () => {
      isSending = true;
      await sleep(200);
      isSent = true;
    });
    app.get("/", async () => {
      runs += 1;
      return "hello";
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    await leaveWhen(url, () => isSending);
    await expect.poll(() => isSent).toBe(true);
    await app.close();
    expect(runs).toBe(0);
  });
});

describe("a response", () => {
  it("that was begun before keeps the handler away where the request is denied", async () => {
    const { app, lines } = logging();
    app.addHook("onRequest", async (_request, reply) => {
      reply.raw.writeHead(200);
      setTimeout(() => reply.raw.end("early"), 20);
    });
    await app.register(rateLimit, { limiter: bucket("api", 0), key: "a" });
    app.get("/", async () => "hello");
    expect((await app.inject("/")).body).toBe("early");
    expect(lines).toEqual([]);
  });

  it("has no more listeners after it was held", async () => {
    const app = fastify();
    const counts: number[] = [];
    await app.register(rateLimit, { limiter: holding(bucket("queue", 5), 20), key: "a" });
    app.get("/", async (_request, reply) => counts.push(reply.raw.listenerCount("close")));
    app.get("/free", { config: { rateLimit: false } }, async (_request, reply) =>
      counts.push(reply.raw.listenerCount("close")),
    );
    await app.inject("/free");
    await app.inject("/");
    expect(counts[1]).toBe(counts[0]);
  });
});
