import { once } from "node:events";
import { createServer } from "node:http";
import { compose, memoryStore } from "@sluice/core";
import { rateLimit } from "@sluice/express";
import { fixedWindow } from "@sluice/fixed-window";
import { startRedis } from "@sluice/redis-server";
import express, { type RequestHandler } from "express";
import { rateLimit as expressRateLimit } from "express-rate-limit";
import { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterUnion } from "rate-limiter-flexible";
import { describe, expect, it } from "vitest";

/** What docs/migrating.md says of others, and of us. */
describe("migrating from rate-limiter-flexible", () => {
  const passes = (call: Promise<unknown>) =>
    call.then(
      () => true,
      () => false,
    );

  it("pays for what is denied there, and not here", async () => {
    const theirs = new RateLimiterMemory({ points: 5, duration: 60 });
    const ours = fixedWindow({ name: "ours", limit: 5, window: "1m", anchor: "first", store: memoryStore() });
    const granted: Record<"theirs" | "ours", boolean[]> = { theirs: [], ours: [] };
    for (const cost of [4, 3, 1]) {
      granted.theirs.push(await passes(theirs.consume("key", cost)));
      granted.ours.push((await ours.consume("key", { cost })).allowed);
    }
    expect(granted).toEqual({ theirs: [true, false, false], ours: [true, false, true] });
  });

  it("charges in a union what it denies, and in a composite not", async () => {
    const wide = new RateLimiterMemory({ points: 10, duration: 60, keyPrefix: "wide" });
    const union = new RateLimiterUnion(
      wide,
      new RateLimiterMemory({ points: 1, duration: 60, keyPrefix: "narrow" }),
    );
    const store = memoryStore();
    const ours = fixedWindow({ name: "wide", limit: 10, window: "1m", anchor: "first", store });
    const both = compose([
      ours,
      fixedWindow({ name: "narrow", limit: 1, window: "1m", anchor: "first", store }),
    ]);
    for (let call = 1; call <= 5; call += 1) {
      await passes(union.consume("key"));
      await both.consume("key");
    }
    expect((await wide.get("key"))?.consumedPoints).toBe(5);
    expect((await ours.peek("key")).remaining).toBe(9);
  });

  it("keeps half a second for ever on Redis", async () => {
    const server = await startRedis();
    const storeClient = new Redis(server.url);
    try {
      await new RateLimiterRedis({ storeClient, points: 5, duration: 0.5, keyPrefix: "half" }).consume("key");
      expect(await storeClient.pttl("half:key")).toBe(-1);
    } finally {
      storeClient.disconnect();
      await server.stop();
    }
  });
});

describe("migrating from express-rate-limit", () => {
  async function answers(layer: RequestHandler, method: string): Promise<Response[]> {
    const app = express().use(layer, (_request, response) => void response.send("hello"));
    const server = createServer(app).listen(0);
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const responses: Response[] = [];
    for (let time = 1; time <= 2; time += 1)
      responses.push(await fetch(`http://127.0.0.1:${port}/`, { method }));
    server.closeAllConnections();
    server.close();
    return responses;
  }

  const theirs = () => expressRateLimit({ limit: 1, keyGenerator: () => "key" });
  const ours = () => {
    const limiter = fixedWindow({
      name: "ours",
      limit: 1,
      window: "1m",
      anchor: "first",
      store: memoryStore(),
    });
    return rateLimit({ limiter, key: "key", headers: "legacy" });
  };

  it("limits OPTIONS there, and not here", async () => {
    const statuses = async (layer: RequestHandler) =>
      (await answers(layer, "OPTIONS")).map(({ status }) => status);
    expect(await statuses(theirs())).toEqual([200, 429]);
    expect(await statuses(ours())).toEqual([200, 200]);
  });

  it("tells a date as the reset there, and seconds from now here", async () => {
    const reset = async (layer: RequestHandler) =>
      Number((await answers(layer, "GET"))[1]?.headers.get("x-ratelimit-reset"));
    expect(await reset(theirs())).toBeGreaterThan(Date.now() / 1000);
    expect(await reset(ours())).toBe(60);
  });
});
