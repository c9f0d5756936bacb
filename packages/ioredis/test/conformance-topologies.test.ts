import { startCluster, startSentinel } from "@sluice/redis-server";
import { proveConnection, proveStore } from "@sluice/store-conformance";
import { afterAll, it } from "vitest";
import { Clients } from "./conformance-clients.js";

const password = "a password";
const [cluster, group] = await Promise.all([startCluster(), startSentinel({ password })]);
const clients = new Clients();
afterAll(async () => {
  clients.close();
  await Promise.all([cluster.stop(), group.stop()]);
});

const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
const throughNodes = { nodes, options: {} };
proveStore(await clients.candidate("ioredis 6", "cluster", throughNodes, cluster.nodes));
proveConnection(await clients.candidate("ioredis 5", "cluster", throughNodes, cluster.nodes));
proveConnection(await clients.candidate("iovalkey", "cluster", throughNodes, cluster.nodes));
it.skip("iovalkey, cluster, auto-pipelining (skipped: with it, it sends scripts to wrong slots)");
for (const library of ["ioredis 6", "ioredis 5"] as const) {
  const way = { nodes, options: { enableAutoPipelining: true, keyPrefix: "app:" } };
  const title = "cluster, auto-pipelining, keyPrefix";
  proveConnection(await clients.candidate(library, title, way, cluster.nodes));
}

const primary = [await group.primary()];
const throughSentinels = { options: { sentinels: [...group.sentinels], name: group.name, password } };
proveStore(await clients.candidate("ioredis 6", "Sentinel", throughSentinels, primary));
proveConnection(await clients.candidate("ioredis 5", "Sentinel", throughSentinels, primary));
proveConnection(await clients.candidate("iovalkey", "Sentinel", throughSentinels, primary));
