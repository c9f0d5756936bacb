import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { StoreTimeoutError } from "@sluice/core";
import { startRedis } from "@sluice/redis-server";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bucketOn, connect, connecting, destroyAll, MAJORS } from "./majors.js";

const redis = await startRedis();
beforeEach(() => redis.command("FLUSHALL"));
afterEach(destroyAll);
afterAll(() => redis.stop());

describe.each(MAJORS)("a store over a client of node-redis $major", ({ major, makeClient }) => {
  it.each([true, false])(
    "settles every call while the server is down, having sent none, disableOfflineQueue: %s",
    async (disableOfflineQueue) => {
      const server = await startRedis();
      const client = await connect(makeClient({ url: server.url, disableOfflineQueue }));
      const limiter = bucketOn(client, { timeoutMs: 200 });
      await server.stop();
      await vi.waitFor(() => expect(client.isReady).toBe(false), { timeout: 5_000 });
      const calls = Array.from({ length: 50 }, () => [
        limiter.consume("a"),
        limiter.peek("b"),
        limiter.reset("c"),
      ]);
      for (const outcome of await Promise.allSettled(calls.flat())) {
        expect(outcome).toMatchObject({
          status: "rejected",
          reason: { code: "ERR_SLUICE_STORE_TIMEOUT", mayHaveCounted: false },
        });
      }
      await expect(limiter.consume("a")).rejects.toThrow("is not asked for");
    },
  );

  it.each([true, false])(
    "takes nothing for a call that timed out waiting for a connection, the server knowing its script: %s",
    async (isLoaded) => {
      await bucketOn(await connect(makeClient({ url: redis.url }))).consume("b");
      if (!isLoaded) await redis.command("SCRIPT", "FLUSH");
      const path = join(redis.folder, `${major}-${isLoaded}.sock`);
      const { client } = connecting(makeClient({ socket: { path, tls: false, reconnectStrategy: 20 } }));
      const limiter = bucketOn(client, { timeoutMs: 100 });
      await expect(limiter.consume("a")).rejects.toThrow(StoreTimeoutError);
      await symlink(redis.socketPath, path);
      await vi.waitFor(() => limiter.peek("b"), { timeout: 5_000 });
      expect(await limiter.consume("a")).toMatchObject({ remaining: 9 });
    },
  );

  it("gives back what a call is granted that timed out on the way", async () => {
    const client = await connect(makeClient({ url: redis.url }));
    const limiter = bucketOn(client, { timeoutMs: 100 });
    await vi.waitFor(() => limiter.peek("b"), { timeout: 5_000 });
    await whileHanging(async () => {
      const late = limiter.consume("a");
      await expect(late).rejects.toThrow(StoreTimeoutError);
      await expect(late).rejects.toMatchObject({ mayHaveCounted: true });
    });
    await vi.waitFor(async () => expect(await limiter.peek("a")).toMatchObject({ remaining: 10 }), {
      timeout: 5_000,
    });
  });

  it("fails at once where the client's queue is full, and answers those who are in it", async () => {
    const client = await connect(makeClient({ url: redis.url, commandsQueueMaxLength: 20 }));
    const limiter = bucketOn(client, { batch: false });
    await limiter.consume("whoever loads the script");
    const waiting = await whileHanging(async () => {
      const calls = Array.from({ length: 20 }, () => limiter.consume("a"));
      await expect(limiter.consume("a")).rejects.toThrow('limiter "api": The queue is full');
      return calls;
    });
    const decisions = await Promise.all(waiting);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10);
  });
});

/** Does some work while the server hears everything and answers nothing. */
async function whileHanging<T>(work: () => Promise<T>): Promise<T> {
  process.kill(redis.pid, "SIGSTOP");
  try {
    return await work();
  } finally {
    process.kill(redis.pid, "SIGCONT");
  }
}
