import { fileURLToPath } from "node:url";
import { InvalidKeyError, InvalidPolicyError, StoreError } from "@sluice/core";
import { startCluster, startRedis, startSentinel } from "@sluice/redis-server";
import { runAlone } from "@sluice/run-alone";
import { Cluster, Redis } from "ioredis";
import { createClient, createCluster, createSentinel } from "redis";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nodeRedisStore } from "../src/index.js";
import { BULK_STRING, bucketOn, connect, connecting, destroyAll, MAJORS } from "./majors.js";

const [redis, cluster, group] = await Promise.all([
  startRedis(),
  startCluster({ primaries: 1 }),
  startSentinel({ replicas: 0, sentinels: 1 }),
]);
const servers = [redis, ...cluster.nodes, ...group.servers];
const rootNodes = cluster.nodes.map(({ url }) => ({ url }));
const sentinels = { name: group.name, sentinelRootNodes: [...group.sentinels] };

beforeEach(() => Promise.all(servers.map((server) => server.command("FLUSHALL"))));
afterEach(destroyAll);
afterAll(() => Promise.all([redis, cluster, group].map((started) => started.stop())));

const REFUSAL =
  "nodeRedisStore: the first argument must be a client of node-redis, as createClient(), createCluster() or " +
  "createSentinel() returns";

describe.each(MAJORS)(
  "a store over node-redis $major",
  ({ major, makeClient, makeCluster, makeSentinel, makePool }) => {
    const kinds = [
      ["client", () => makeClient({ url: redis.url })],
      ["cluster", () => makeCluster({ rootNodes })],
      ["sentinel", () => makeSentinel(sentinels)],
    ] as const;

    it.each([2, 3] as const)(
      "tells a client, a cluster and a sentinel apart that speak RESP %i",
      async (RESP) => {
        for (const client of [
          makeClient({ url: redis.url, RESP }),
          makeCluster({ RESP, rootNodes }),
          makeSentinel({ RESP, ...sentinels }),
        ]) {
          const limiter = bucketOn(await connect(client));
          await limiter.refund(await limiter.consume("a"));
          expect(await limiter.consume("a", { cost: 2 })).toMatchObject({ allowed: true, remaining: 8 });
        }
        for (const server of servers) expect(await server.command("DBSIZE")).toBe(1);
      },
    );

    it("works through views of a client that map types otherwise or jump the queue, and through a duplicate", async () => {
      const client = await connect(makeClient({ url: redis.url }));
      const views = [
        client.withTypeMapping({ [BULK_STRING]: String }),
        client.withTypeMapping({ [BULK_STRING]: Buffer }),
        client.asap(),
        await connect(client.duplicate()),
      ];
      const remaining = [];
      for (const view of views) remaining.push((await bucketOn(view).consume("a")).remaining);
      expect(remaining).toEqual([9, 8, 7, 6]);
      for (const topology of [
        await connect(makeCluster({ rootNodes })),
        await connect(makeSentinel(sentinels)),
      ]) {
        const view = topology.withTypeMapping({ [BULK_STRING]: String });
        expect(await bucketOn(view).consume("a")).toMatchObject({ remaining: 9 });
      }
    });

    it.each(kinds)("connects a %s that nobody has connected, by the first call", async (_kind, make) => {
      const client = make();
      const limiter = bucketOn(client);
      expect(client.isOpen).toBe(false);
      expect(await limiter.consume("a")).toMatchObject({ remaining: 9 });
      expect(client.listenerCount("error")).toBe(1);
      client.destroy();
    });

    it.each(["the store", "its owner, who does not wait"])(
      "decides what comes at once while a cluster is being connected by %s",
      async (who) => {
        const cluster = makeCluster({ rootNodes });
        if (who !== "the store") connecting(cluster);
        const limiter = bucketOn(cluster);
        const users = Array.from({ length: 20 }, (_, user) => `user:${user}`);
        const decisions = await Promise.all(users.map((user) => limiter.consume(user)));
        expect(decisions.map(({ remaining }) => remaining)).toEqual(users.map(() => 9));
        await cluster.destroy();
      },
    );

    it("waits through the absence of a server, and is served once it is there", async () => {
      const { port, stop } = await startRedis();
      await stop();
      const socket = { host: "127.0.0.1", port, tls: false as const, reconnectStrategy: 20 };
      const client = makeClient({ socket });
      const limiter = bucketOn(client, { timeoutMs: 100 });
      await expect(limiter.consume("a")).rejects.toMatchObject({ mayHaveCounted: false });
      await using _server = await startRedis({ port });
      await vi.waitFor(async () => expect(await limiter.consume("a")).toMatchObject({ remaining: 9 }), {
        timeout: 5_000,
      });
      client.destroy();
    });

    it.each(["its owner", "the store"])(
      "leaves a client closed that %s was connecting when its owner closed it",
      async (who) => {
        const { port, stop } = await startRedis();
        await stop();
        const client = makeClient({ url: `redis://127.0.0.1:${port}` });
        if (who === "its owner") connecting(client);
        const waiting = bucketOn(client).consume("a");
        await vi.waitFor(() => expect(client.isOpen).toBe(true));
        client.destroy();
        await expect(waiting).rejects.toThrow("the client is closed: nothing was sent");
        await new Promise((resolve) => setTimeout(resolve, 500));
        await expect(bucketOn(client).consume("a")).rejects.toThrow(StoreError);
        expect(client.isOpen).toBe(false);
      },
    );

    it("waits for a client that is being connected", async () => {
      const { client } = connecting(makeClient({ url: redis.url }));
      expect(await bucketOn(client).consume("a")).toMatchObject({ remaining: 9 });
    });

    it.each(kinds)("leaves a %s to its owner, who may close it", async (_kind, make) => {
      const client = await connect(make());
      const limiter = bucketOn(client, { timeoutMs: 60_000 });
      await limiter.consume("a");
      await client.close();
      await expect(limiter.consume("a")).rejects.toMatchObject({ code: "ERR_SLUICE_STORE" });
      expect(client.isOpen).toBe(false);
    });

    it("keeps its keys in the client's database", async () => {
      const client = await connect(makeClient({ url: redis.url, database: 3 }));
      await bucketOn(client).consume("a");
      expect(await redis.command("KEYS", "*")).toEqual([]);
      expect(await redis.cli(["-n", "3", "KEYS", "*"])).toBe("sluice:api:bucket.1:{a}\n");
    });

    it("shares its client with other work", async () => {
      const client = await connect(makeClient({ url: redis.url }));
      const subscriber = await connect(client.duplicate());
      const heard = vi.fn();
      await subscriber.subscribe("news", heard);
      const limiter = bucketOn(client);
      const [first, replies, , second] = await Promise.all([
        limiter.consume("a"),
        client.multi().incr("own").incr("own").exec(),
        client.publish("news", "good"),
        limiter.consume("a"),
      ]);
      expect(replies).toEqual([1, 2]);
      expect([first.remaining, second.remaining].sort()).toEqual([8, 9]);
      await vi.waitFor(() => expect(heard).toHaveBeenCalledWith("good", "news"), { timeout: 5_000 });
    });

    it.each(kinds)("piles up no listeners, however many stores share a %s", async (_kind, make) => {
      const client = await connect(make());
      const warned = vi.fn();
      process.on("warning", warned);
      try {
        const limiters = Array.from({ length: 30 }, () => bucketOn(client));
        await Promise.all(limiters.map((limiter) => limiter.consume("a")));
        await new Promise((resolve) => setImmediate(resolve));
        const tooMany = expect.objectContaining({ name: "MaxListenersExceededWarning" });
        expect(warned).not.toHaveBeenCalledWith(tooMany);
      } finally {
        process.off("warning", warned);
      }
    });

    it("refuses what comes of a client and is none: a pool, callbacks, a transaction, a sentinel's lease", async () => {
      const client = makeClient({ url: redis.url });
      const lease = await (await connect(makeSentinel(sentinels))).acquire();
      for (const wrong of [makePool(), client.legacy(), client.multi(), lease]) {
        // @ts-expect-error a caller without types
        expect(() => nodeRedisStore(wrong)).toThrow(REFUSAL);
      }
    });

    it("lets the process end once its clients are closed or destroyed", async () => {
      const program = fileURLToPath(new URL("program.ts", import.meta.url));
      const { code, stdout, stderr } = await runAlone(program, redis.url, String(major));
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const { remaining, lingeredMs } = JSON.parse(stdout);
      expect(remaining).toEqual([4, 3]);
      expect(lingeredMs).toBeLessThan(1_000);
    });
  },
);

it("puts its own prefix before the keys, since a keyPrefix of the client does not reach them", async () => {
  const keyPrefix = "app:";
  for (const client of [
    createClient({ url: redis.url, keyPrefix }),
    createCluster({ rootNodes, keyPrefix }),
    createSentinel({ ...sentinels, keyPrefix }),
  ]) {
    await bucketOn(await connect(client), { prefix: "shop" }).consume("a");
  }
  for (const server of servers) expect(await server.command("KEYS", "*")).toEqual(["shop:api:bucket.1:{a}"]);
});

describe("what is no client", () => {
  const lazy = { lazyConnect: true };

  it.each([
    undefined,
    null,
    {},
    "redis://127.0.0.1:6379",
    { host: "127.0.0.1", port: 6379 },
    createClient,
    [createClient()],
    Promise.resolve(createClient()),
    new Redis(lazy),
    new Cluster([{ host: "127.0.0.1", port: 6379 }], lazy),
    // of node-redis 4, which cannot be asked for bytes in this way
    { isOpen: true, isReady: true, sendCommand: async () => "OK", duplicate: () => ({}) },
  ])("is refused at once, and the message says what was expected: %#", (wrong) => {
    // @ts-expect-error a caller without types
    const make = () => nodeRedisStore(wrong);
    expect(make).toThrow(InvalidPolicyError);
    expect(make).toThrow(REFUSAL);
  });
});

it("hands its options on to the store, which refuses what it cannot keep", () => {
  const client = createClient();
  expect(() => nodeRedisStore(client, { prefix: "{app}" })).toThrow(InvalidKeyError);
  expect(() => nodeRedisStore(client, { timeoutMs: 0 })).toThrow(InvalidPolicyError);
  // @ts-expect-error a caller without types
  expect(() => nodeRedisStore(client, { prefx: "shop" })).toThrow('got the unknown option "prefx"');
  // @ts-expect-error a caller without types
  expect(() => nodeRedisStore(client, null)).toThrow(InvalidPolicyError);
});
