import type { RedisStoreOptions } from "@sluice/core";
import { startCluster, startRedis, startReplica } from "@sluice/redis-server";
import { allAreNamed, proveReadOnlyReplica, proveReplicasIdle } from "@sluice/store-conformance";
import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { Redis as ValkeyClient, Cluster as ValkeyCluster } from "iovalkey";
import { afterAll } from "vitest";
import { type IoredisClient, ioredisStore } from "../src/index.js";

const [primary, cluster] = await Promise.all([startRedis(), startCluster({ primaries: 2, replicas: 1 })]);
const replica = await startReplica(primary);
await allAreNamed(cluster);
const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
const scaleReads = "slave";
const onReplica = {
  "ioredis 6": new Redis(replica.port),
  "ioredis 5": new Redis5(replica.port),
  iovalkey: new ValkeyClient(replica.port),
};
const onCluster = {
  "ioredis 6": new Cluster(nodes, { scaleReads }),
  "ioredis 6, auto-pipelining": new Cluster(nodes, { scaleReads, enableAutoPipelining: true }),
  "ioredis 5": new Cluster5(nodes, { scaleReads }),
  iovalkey: new ValkeyCluster(nodes, { scaleReads }),
};
afterAll(async () => {
  for (const clients of [onReplica, onCluster]) {
    for (const client of Object.values(clients)) client.disconnect();
  }
  await Promise.all([primary.stop(), replica.stop(), cluster.stop()]);
});

function storesOn(clients: Record<string, IoredisClient>): Parameters<typeof proveReplicasIdle>[1] {
  const opening = Object.entries(clients).map(([name, client]) => [
    name,
    (options: RedisStoreOptions) => ioredisStore(client, options),
  ]);
  return Object.fromEntries(opening);
}

proveReadOnlyReplica(primary, replica, storesOn(onReplica));
proveReplicasIdle(cluster, storesOn(onCluster));
