import type { RedisStoreOptions } from "@sluice/core";
import { startCluster, startRedis, startReplica } from "@sluice/redis-server";
import { allAreNamed, proveReadOnlyReplica, proveReplicasIdle } from "@sluice/store-conformance";
import { createClient, createCluster } from "redis";
import { createClient as createClient5, createCluster as createCluster5 } from "redis-5";
import { afterAll, vi } from "vitest";
import { nodeRedisStore } from "../src/index.js";

const [primary, cluster] = await Promise.all([startRedis(), startCluster({ primaries: 2, replicas: 1 })]);
const replica = await startReplica(primary);
await allAreNamed(cluster);
const { url } = replica;
const reading = { rootNodes: cluster.nodes.map((node) => ({ url: node.url })), useReplicas: true };
const client6 = await createClient({ url }).on("error", vi.fn()).connect();
const client5 = await createClient5({ url }).on("error", vi.fn()).connect();
const cluster6 = await createCluster(reading).on("error", vi.fn()).connect();
const cluster5 = await createCluster5(reading).on("error", vi.fn()).connect();
afterAll(async () => {
  for (const client of [client6, client5, cluster6, cluster5]) client.destroy();
  await Promise.all([primary.stop(), replica.stop(), cluster.stop()]);
});

proveReadOnlyReplica(primary, replica, {
  "node-redis 6": (options: RedisStoreOptions) => nodeRedisStore(client6, options),
  "node-redis 5": (options: RedisStoreOptions) => nodeRedisStore(client5, options),
});
proveReplicasIdle(cluster, {
  "node-redis 6": (options: RedisStoreOptions) => nodeRedisStore(cluster6, options),
  "node-redis 5": (options: RedisStoreOptions) => nodeRedisStore(cluster5, options),
});
