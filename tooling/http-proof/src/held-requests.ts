import { setTimeout as sleep } from "node:timers/promises";
import { memoryStore } from "@sluice/core";
import { leakyBucket } from "@sluice/leaky-bucket";
import { describe, expect, it } from "vitest";
import { bucket, serve } from "./asking.ts";
import type { Adapter } from "./route.ts";

/** Requests that are allowed, but have to wait for their turn. */
export function proveHeldRequests(adapter: Adapter): void {
  const queue = (every: string): ReturnType<typeof leakyBucket<"queue">> =>
    leakyBucket({ name: "queue", leak: { tokens: 1, every }, capacity: 5, store: memoryStore() });

  describe("a request that has to wait for its turn", () => {
    it("is held until then", async () => {
      const startMs = performance.now();
      const cameMs: number[] = [];
      await using server = await serve(adapter, { limiter: queue("100ms"), key: "a" }, () => {
        cameMs.push(performance.now() - startMs);
        return { status: 200, text: "" };
      });
      await Promise.all([server.ask(), server.ask(), server.ask()]);
      expect(cameMs).toHaveLength(3);
      expect((cameMs[2] ?? 0) - (cameMs[0] ?? 0)).toBeGreaterThan(150);
    });

    it("and whose client leaves meanwhile gives its turn back, and its handler does not run", async () => {
      const limiter = queue("1h");
      await using server = await serve(adapter, { limiter, key: "a" });
      await server.ask();
      const leaving = new AbortController();
      const left = server.ask({ signal: leaving.signal }).catch(() => "left");
      while ((await limiter.peek("a")).remaining > 4) await sleep(5);
      leaving.abort();
      expect(await left).toBe("left");
      while ((await limiter.peek("a")).remaining < 5) await sleep(5);
      expect(server.runs()).toBe(1);
    });
  });

  it("who asks and hangs up gets nothing back by refundWhen", async () => {
    const limiter = bucket(5);
    const options = { limiter, key: "a", refundWhen: () => true };
    const leaving = new AbortController();
    await using server = await serve(adapter, options, async () => {
      leaving.abort();
      await sleep(100);
      return { status: 200, text: "" };
    });
    await expect(server.ask({ signal: leaving.signal })).rejects.toThrow("abort");
    await sleep(200);
    expect([server.runs(), (await limiter.peek("a")).remaining]).toEqual([1, 4]);
  });
}
