import { type Limiter, type Store, StoreError } from "@sluice/core";
import { type FaultProxy, startProxy } from "@sluice/fault-proxy";
import { ioredisStore } from "@sluice/ioredis";
import { type RedisServer, startRedis } from "@sluice/redis-server";
import { tokenBucket } from "@sluice/token-bucket";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Answer, type Asking, serve } from "./asking.ts";
import type { Adapter } from "./route.ts";

const TIMEOUT_MS = 300;
/** What a loaded machine may add; where there were no deadline the answer would not come at all. */
const LATE_MS = 4_000;

/** A Redis that dies. */
export function proveStoreFailures(adapter: Adapter): void {
  describe("a dying Redis", () => {
    let redis: RedisServer;
    let proxy: FaultProxy;
    let client: Redis;
    let store: Store;

    beforeAll(async () => {
      redis = await startRedis();
      proxy = await startProxy({ host: "127.0.0.1", port: redis.port });
      client = new Redis(proxy.port, proxy.host, { retryStrategy: () => 20 });
      client.on("error", () => {});
      store = ioredisStore(client, { timeoutMs: TIMEOUT_MS, breaker: false });
    });
    beforeEach(async () => {
      proxy.behave({});
      // so that no reply of the test before is still expected
      proxy.cut();
      await redis.command("FLUSHALL");
    });
    afterAll(async () => {
      client?.disconnect();
      await proxy?.stop();
      await redis?.stop();
    });

    const api = (own: "throw" | "allow" | "deny"): Limiter =>
      tokenBucket({
        name: "api",
        capacity: 9,
        refill: { tokens: 9, every: "9h" },
        store,
        onStoreFailure: own,
      });

    /** Asks while nothing comes back from Redis, and no longer than the deadline allows. */
    async function askDying(server: Asking): Promise<Answer> {
      proxy.behave({ replies: "swallow" });
      const startMs = performance.now();
      const answer = await server.ask();
      expect(performance.now() - startMs).toBeLessThan(TIMEOUT_MS + LATE_MS);
      return answer;
    }

    it("counts before, and after it has come back", async () => {
      await using server = await serve(adapter, { limiter: api("throw"), key: "a" });
      expect((await server.ask()).headers.get("ratelimit")).toMatch('"api";r=8;');
      expect((await askDying(server)).status).toBe(500);
      proxy.behave({});
      proxy.cut();
      await expect.poll(async () => (await server.ask()).status, { timeout: 5_000 }).toBe(200);
    });

    it("is an error, for the error path, once, and never a denial", async () => {
      await using server = await serve(adapter, { limiter: api("throw"), key: "a" });
      const { status, headers } = await askDying(server);
      expect([status, headers.has("ratelimit")]).toEqual([500, false]);
      expect([server.runs(), server.errors]).toEqual([0, [expect.any(StoreError)]]);
    });

    it.each([
      ["the limiter's own policy", { own: "deny" }],
      ["onStoreFailure", { own: "throw", onStoreFailure: "deny" }],
    ] as const)("is answered 503 where %s denies", async (_, { own, ...options }) => {
      await using server = await serve(adapter, { limiter: api(own), key: "a", ...options });
      const { status, text, headers } = await askDying(server);
      expect(status).toBe(503);
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(JSON.parse(text)).toMatchObject({
        type: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
        status: 503,
        "violated-policies": ["api"],
      });
      expect([server.runs(), server.errors]).toEqual([0, []]);
    });

    it.each([
      ["the limiter's own policy", { own: "allow" }],
      ["onStoreFailure", { own: "throw", onStoreFailure: "allow" }],
    ] as const)("lets the handler run where %s allows", async (_, { own, ...options }) => {
      await using server = await serve(adapter, { limiter: api(own), key: "a", ...options });
      const { status, text, headers } = await askDying(server);
      expect([status, text, headers.has("ratelimit")]).toEqual([200, "hello", false]);
    });

    it("takes no answer away from a handler whose units cannot be given back", async () => {
      const refundWhen = (): boolean => true;
      await using server = await serve(adapter, { limiter: api("throw"), key: "a", refundWhen }, () => {
        proxy.behave({ replies: "swallow" });
        return { status: 201, text: "made" };
      });
      const { status, text } = await server.ask();
      expect([status, text, server.errors]).toEqual([201, "made", []]);
    });
  });
}
