import type { RedisStoreOptions } from "@sluice/core";
import { startCluster } from "@sluice/redis-server";
import { allAreNamed, proveMovingSlot, proveOnCluster } from "@sluice/store-conformance";
import { createCluster } from "redis";
import { createCluster as createCluster5 } from "redis-5";
import { afterAll, vi } from "vitest";
import { nodeRedisStore } from "../src/index.js";

const cluster = await startCluster({ replicas: 1 });
await allAreNamed(cluster);
const rootNodes = cluster.nodes.map(({ url }) => ({ url }));
const [client6, client5] = await Promise.all([
  createCluster({ rootNodes }).on("error", vi.fn()).connect(),
  createCluster5({ rootNodes }).on("error", vi.fn()).connect(),
]);
afterAll(async () => {
  client6.destroy();
  client5.destroy();
  await cluster.stop();
});

const stores = {
  "node-redis 6": (options: RedisStoreOptions) => nodeRedisStore(client6, options),
  "node-redis 5": (options: RedisStoreOptions) => nodeRedisStore(client5, options),
};
proveMovingSlot(cluster, stores);
proveOnCluster(cluster, stores, {
  "node-redis 5": "it learns of the successor only from the former primary, once that is back",
});
