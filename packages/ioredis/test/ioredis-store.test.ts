import { fileURLToPath } from "node:url";
import {
  InvalidKeyError,
  InvalidPolicyError,
  type RedisStoreOptions,
  StoreError,
  StoreTimeoutError,
} from "@sluice/core";
import { type RedisCluster, type RedisServer, startCluster, startRedis } from "@sluice/redis-server";
import { runAlone } from "@sluice/run-alone";
import { tokenBucket } from "@sluice/token-bucket";
import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ioredisStore } from "../src/index.js";

/** The options of both majors that concern a store. */
interface ClientOptions {
  db?: number;
  keyPrefix?: string;
  lazyConnect?: boolean;
  enableAutoPipelining?: boolean;
  enableOfflineQueue?: boolean;
  maxRetriesPerRequest?: number | null;
  retryStrategy?: () => number;
  stringNumbers?: boolean;
}

const redis = await startRedis();
// so patient that nobody is missed while it is made to hang
const cluster = await startCluster({ primaries: 2, nodeTimeoutMs: 10_000 });
afterAll(() => Promise.all([redis.stop(), cluster.stop()]));

const opened: { disconnect(): void }[] = [];
beforeEach(async () => {
  await redis.command("FLUSHALL");
});
afterEach(() => {
  for (const client of opened.splice(0)) client.disconnect();
});

const addressOf = ({ host, port }: RedisServer) => ({ host, port });

/** Both majors; their clients are accepted without a cast. */
const majors = [
  {
    major: 6,
    connect({ port }: RedisServer, options: ClientOptions = {}) {
      const client = new Redis(port, options).on("error", vi.fn());
      opened.push(client);
      return { client, storeOf: (own?: RedisStoreOptions) => ioredisStore(client, own) };
    },
    connectCluster({ nodes }: RedisCluster, options: ClientOptions = {}) {
      const client = new Cluster(nodes.map(addressOf), options).on("error", vi.fn());
      opened.push(client);
      return { client, storeOf: (own?: RedisStoreOptions) => ioredisStore(client, own) };
    },
  },
  {
    major: 5,
    connect({ port }: RedisServer, options: ClientOptions = {}) {
      const client = new Redis5(port, options).on("error", vi.fn());
      opened.push(client);
      return { client, storeOf: (own?: RedisStoreOptions) => ioredisStore(client, own) };
    },
    connectCluster({ nodes }: RedisCluster, options: ClientOptions = {}) {
      const client = new Cluster5(nodes.map(addressOf), options).on("error", vi.fn());
      opened.push(client);
      return { client, storeOf: (own?: RedisStoreOptions) => ioredisStore(client, own) };
    },
  },
];

/** Ten tokens that come back slowly enough to be counted. */
const bucketOn = (store: ReturnType<typeof ioredisStore>) =>
  tokenBucket({ name: "api", capacity: 10, refill: { tokens: 10, every: "1h" }, store });

describe.each(majors)("a store over ioredis $major", ({ major, connect, connectCluster }) => {
  it("applies the client's keyPrefix once, and its own prefix after it", async () => {
    const limiter = bucketOn(connect(redis, { keyPrefix: "app:" }).storeOf({ prefix: "shop" }));
    await redis.command("SCRIPT", "FLUSH");
    await limiter.refund(await limiter.consume("a"));
    await limiter.consume("a");
    await limiter.consume("b");
    expect(await redis.command("KEYS", "*")).toHaveLength(2);
    expect(await redis.command("EXISTS", "app:shop:api:bucket.1:{a}")).toBe(1);
    await limiter.reset("a");
    expect(await redis.command("KEYS", "*")).toEqual(["app:shop:api:bucket.1:{b}"]);
  });

  it("keeps its keys in the client's database", async () => {
    await bucketOn(connect(redis, { db: 3 }).storeOf()).consume("a");
    expect(await redis.command("KEYS", "*")).toEqual([]);
    expect(await redis.cli(["-n", "3", "KEYS", "*"])).toBe("sluice:api:bucket.1:{a}\n");
  });

  it.each([true, false])(
    "grants a thousand callers at once no more than one, auto-pipelining: %s",
    async (on) => {
      const limiter = bucketOn(connect(redis, { enableAutoPipelining: on }).storeOf());
      await redis.command("SCRIPT", "FLUSH");
      const decisions = await Promise.all(Array.from({ length: 1_000 }, () => limiter.consume("a")));
      const granted = decisions.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
      expect(granted.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    },
  );

  it("leaves it to the client to connect, and to its owner to close it", async () => {
    const { client, storeOf } = connect(redis, { lazyConnect: true });
    const limiter = bucketOn(storeOf());
    expect(client.status).toBe("wait");
    await limiter.consume("a");
    await limiter.reset("a");
    expect(client.status).toBe("ready");
    client.disconnect();
    await expect(limiter.consume("a")).rejects.toThrow(StoreError);
    expect(client.status).not.toBe("ready");
  });

  it("shares its client with other work", async () => {
    const { client, storeOf } = connect(redis);
    const decided = bucketOn(storeOf()).consume("a");
    expect(await client.set("own", "value")).toBe("OK");
    expect(await client.get("own")).toBe("value");
    expect(await decided).toMatchObject({ allowed: true });
  });

  describe("while the server is down", () => {
    it.each([
      { enableAutoPipelining: true, enableOfflineQueue: false },
      { enableAutoPipelining: false, enableOfflineQueue: false },
      { enableAutoPipelining: true, enableOfflineQueue: true, maxRetriesPerRequest: null },
      { enableAutoPipelining: false, enableOfflineQueue: true, maxRetriesPerRequest: null },
    ])("settles every call within the timeout: %j", async (options) => {
      const server = await startRedis();
      const limiter = bucketOn(connect(server, options).storeOf({ timeoutMs: 200 }));
      await vi.waitFor(() => limiter.consume("a"), { timeout: 3_000 });
      await server.stop();
      const startMs = performance.now();
      const calls = Array.from({ length: 50 }, () => [
        limiter.consume("a"),
        limiter.peek("b"),
        limiter.reset("c"),
      ]);
      const settled = await Promise.allSettled(calls.flat());
      expect(performance.now() - startMs).toBeLessThan(1_000);
      for (const outcome of settled) {
        expect(outcome).toMatchObject({ status: "rejected", reason: { code: /^ERR_SLUICE_STORE/ } });
      }
    });

    it("takes nothing for a call that timed out waiting for a server, which then lacks the script", async () => {
      const { port, stop } = await startRedis();
      await stop();
      const { storeOf } = connect(
        { ...redis, port },
        { maxRetriesPerRequest: null, retryStrategy: () => 20 },
      );
      const limiter = bucketOn(storeOf({ timeoutMs: 100 }));
      await expect(limiter.consume("a")).rejects.toThrow(StoreTimeoutError);
      await expect(limiter.consume("a")).rejects.toMatchObject({ mayHaveCounted: false });
      await using _server = await startRedis({ port });
      await vi.waitFor(() => limiter.peek("b"), { timeout: 3_000 });
      expect(await limiter.peek("a")).toMatchObject({ remaining: 10 });
      expect(await limiter.consume("a")).toMatchObject({ remaining: 9 });
    });
  });

  it("takes nothing for a call that timed out waiting for a connection", async () => {
    await using server = await startRedis();
    await bucketOn(connect(server).storeOf()).consume("whoever loads the script");
    process.kill(server.pid, "SIGSTOP");
    const limiter = bucketOn(connect(server).storeOf({ timeoutMs: 100 }));
    try {
      await expect(limiter.consume("a")).rejects.toThrow(StoreTimeoutError);
      await expect(limiter.consume("a")).rejects.toMatchObject({ mayHaveCounted: false });
    } finally {
      process.kill(server.pid, "SIGCONT");
    }
    await vi.waitFor(() => limiter.peek("b"), { timeout: 3_000 });
    expect(await limiter.consume("a")).toMatchObject({ remaining: 9 });
  });

  it("answers a call that waited through attempts to connect that failed", async () => {
    const { port, stop } = await startRedis();
    await stop();
    const { client, storeOf } = connect({ ...redis, port }, { retryStrategy: () => 20 });
    const early = bucketOn(storeOf({ timeoutMs: 10_000 })).consume("a");
    const failures = vi.fn();
    client.on("close", failures);
    await vi.waitFor(() => expect(failures.mock.calls.length).toBeGreaterThan(1), { timeout: 5_000 });
    await using _server = await startRedis({ port });
    expect(await early).toMatchObject({ allowed: true, remaining: 9 });
  });

  it("resets where the client hands numbers out as text", async () => {
    const limiter = bucketOn(connect(redis, { stringNumbers: true }).storeOf());
    await limiter.consume("a");
    await limiter.reset("a");
    expect(await limiter.peek("a")).toMatchObject({ remaining: 10 });
  });

  it("answers within the timeout while the server hangs, and gives back what it then grants", async () => {
    await using server = await startRedis();
    const limiter = bucketOn(connect(server).storeOf({ timeoutMs: 100 }));
    await vi.waitFor(() => limiter.peek("a"), { timeout: 3_000 });
    process.kill(server.pid, "SIGSTOP");
    try {
      const late = limiter.consume("a");
      await expect(late).rejects.toThrow(StoreTimeoutError);
      await expect(late).rejects.toMatchObject({ mayHaveCounted: true });
    } finally {
      process.kill(server.pid, "SIGCONT");
    }
    await vi.waitFor(async () => expect(await limiter.peek("a")).toMatchObject({ remaining: 10 }), {
      timeout: 3_000,
    });
  });

  it("lets the process end once the client is disconnected", async () => {
    const program = fileURLToPath(new URL("program.ts", import.meta.url));
    const { code, stdout, stderr } = await runAlone(program, redis.url, String(major));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { remaining, lingeredMs } = JSON.parse(stdout);
    expect(remaining).toBe(4);
    expect(lingeredMs).toBeLessThan(1_000);
  });

  describe.each([true, false])("on a cluster, auto-pipelining: %s", (enableAutoPipelining) => {
    beforeEach(async () => {
      for (const node of cluster.nodes) await node.command("FLUSHALL");
    });

    it("keeps every key on its own node, after the client's keyPrefix", async () => {
      const { storeOf } = connectCluster(cluster, { keyPrefix: "app:", enableAutoPipelining });
      const limiter = bucketOn(storeOf({ timeoutMs: 5_000 }));
      const users = Array.from({ length: 50 }, (_, i) => `user:${i}`);
      for (const node of cluster.nodes) await node.command("SCRIPT", "FLUSH");
      for (const remaining of [9, 8]) {
        for (const decision of await Promise.all(users.map((user) => limiter.consume(user)))) {
          expect(decision).toMatchObject({ allowed: true, remaining });
        }
      }
      const node = await cluster.primaryOf("user:0");
      expect(await node.command("EXISTS", "app:sluice:api:bucket.1:{user:0}")).toBe(1);
      const sizes = await Promise.all(cluster.nodes.map((each) => each.command("DBSIZE")));
      expect(sizes.reduce<number>((sum, size) => sum + Number(size), 0)).toBe(50);
      expect(sizes).not.toContain(0);
      await Promise.all(users.map((user) => limiter.reset(user)));
      expect(await Promise.all(cluster.nodes.map((each) => each.command("DBSIZE")))).toEqual([0, 0]);
    });

    it("is held up by a node that hangs only for the keys of that node", async () => {
      const limiter = bucketOn(connectCluster(cluster, { enableAutoPipelining }).storeOf({ timeoutMs: 400 }));
      const hangs = await cluster.primaryOf("a");
      await vi.waitFor(() => Promise.all(["a", "b"].map((key) => limiter.peek(key))), { timeout: 3_000 });
      expect(await cluster.primaryOf("b")).not.toBe(hangs);
      for (const node of cluster.nodes) await node.command("SCRIPT", "FLUSH");
      process.kill(hangs.pid, "SIGSTOP");
      try {
        const late = limiter.consume("a").catch((error: unknown) => error);
        expect(await limiter.consume("b")).toMatchObject({ allowed: true, remaining: 9 });
        expect(await late).toBeInstanceOf(StoreTimeoutError);
        expect(await limiter.consume("b")).toMatchObject({ allowed: true, remaining: 8 });
      } finally {
        process.kill(hangs.pid, "SIGCONT");
      }
    });
  });
});

describe("what is no client", () => {
  it.each([
    undefined,
    null,
    {},
    "redis://127.0.0.1:6379",
    { host: "127.0.0.1", port: 6379 },
    Redis,
    { sendCommand: async () => "OK", isOpen: true },
    { callBuffer: async () => "OK", del: async () => 1 },
    Promise.resolve(new Redis({ lazyConnect: true })),
  ])("is refused at once, and the message says what was expected: %#", (wrong) => {
    // @ts-expect-error a caller without types
    const make = () => ioredisStore(wrong);
    expect(make).toThrow(InvalidPolicyError);
    expect(make).toThrow(
      "ioredisStore: the first argument must be an ioredis client, as new Redis() or new Cluster([...]) returns",
    );
  });
});

it("hands its options on to the store, which refuses what it cannot keep", () => {
  const client = new Redis({ lazyConnect: true });
  expect(() => ioredisStore(client, { prefix: "{app}" })).toThrow(InvalidKeyError);
  expect(() => ioredisStore(client, { timeoutMs: 0 })).toThrow(InvalidPolicyError);
  // @ts-expect-error a caller without types
  expect(() => ioredisStore(client, { prefx: "shop" })).toThrow('got the unknown option "prefx"');
  // @ts-expect-error a caller without types
  expect(() => ioredisStore(client, null)).toThrow(InvalidPolicyError);
});
