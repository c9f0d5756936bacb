import type { RedisStoreOptions } from "@sluice/core";
import { startCluster } from "@sluice/redis-server";
import { allAreNamed, proveMovingSlot, proveOnCluster } from "@sluice/store-conformance";
import { tokenBucket } from "@sluice/token-bucket";
import { Cluster } from "ioredis";
import { Cluster as Cluster5 } from "ioredis-5";
import { Cluster as ValkeyCluster } from "iovalkey";
import { afterAll, expect, it, vi } from "vitest";
import { type IoredisClient, ioredisStore } from "../src/index.js";

const cluster = await startCluster({ replicas: 1 });
await allAreNamed(cluster);
const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
const enableAutoPipelining = true;
const clients = {
  "ioredis 6": new Cluster(nodes).on("error", vi.fn()),
  "ioredis 5": new Cluster5(nodes).on("error", vi.fn()),
  iovalkey: new ValkeyCluster(nodes).on("error", vi.fn()),
};
const pipelining = {
  "ioredis 6": new Cluster(nodes, { enableAutoPipelining }).on("error", vi.fn()),
  "ioredis 5": new Cluster5(nodes, { enableAutoPipelining }).on("error", vi.fn()),
};
afterAll(async () => {
  for (const client of [...Object.values(clients), ...Object.values(pipelining)]) client.disconnect();
  await cluster.stop();
});

const piped = Object.entries(pipelining).map(
  ([name, client]) => [`${name}, auto-pipelining`, client] as const,
);
const stores = Object.fromEntries(
  [...Object.entries(clients), ...piped].map(([name, client]) => [
    name,
    (options: RedisStoreOptions) => ioredisStore(client, options),
  ]),
);
const limiterOver = (name: string, client: IoredisClient) =>
  tokenBucket({ name, capacity: 20, refill: { tokens: 5, every: "1h" }, store: ioredisStore(client) });

proveMovingSlot(cluster, stores);

// a cluster reports "-node" of it, though nothing was lost
const withStranger = [...nodes, { host: "127.0.0.1", port: 1 }];
it.each([
  { library: "ioredis 6", connect: () => new Cluster(withStranger) },
  { library: "ioredis 5", connect: () => new Cluster5(withStranger) },
  { library: "iovalkey", connect: () => new ValkeyCluster(withStranger) },
])(
  "serves calls that came before $library knew that a node of its list is gone",
  async ({ library, connect }) => {
    const client = connect().on("error", vi.fn());
    try {
      const limiter = limiterOver(`early-${library.replace(" ", "-")}`, client);
      expect(await limiter.consume("a")).toMatchObject({ allowed: true });
    } finally {
      client.disconnect();
    }
  },
);

// where a part of a pipeline has moved ioredis by itself sends nothing on, and learns nothing from it
it.each([
  { library: "ioredis 6", client: pipelining["ioredis 6"], moves: "b", stays: "f" },
  { library: "ioredis 5", client: pipelining["ioredis 5"], moves: "c", stays: "g" },
])(
  "follows one of several pipelined calls to where its slot is now, $library",
  async ({ client, moves, stays }) => {
    const limiter = limiterOver("pipelined", client);
    await vi.waitFor(() => limiter.peek(moves));
    const consumeBoth = () => Promise.all([limiter.consume(moves), limiter.consume(stays)]);
    await consumeBoth();
    const [, , to] = cluster.nodes;
    if (to !== undefined) await cluster.startMovingSlot(cluster.slotOf(moves), to);
    await cluster.finishMovingSlot(cluster.slotOf(moves));
    for (const { remaining } of await consumeBoth()) expect(remaining).toBe(18);
  },
);

proveOnCluster(cluster, stores);
