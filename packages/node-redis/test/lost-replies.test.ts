import { startProxy } from "@sluice/fault-proxy";
import { startCluster, startRedis, startSentinel } from "@sluice/redis-server";
import { tokenBucket } from "@sluice/token-bucket";
import { createClient, createCluster, createSentinel } from "redis";
import {
  createClient as createClient5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from "redis-5";
import { afterAll, describe, expect, it, vi } from "vitest";
import {
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisSentinel,
  nodeRedisStore,
} from "../src/index.js";

/** Small: to compare the clients' own types with one another takes the compiler minutes. */
type Client = (NodeRedisClient | NodeRedisCluster | NodeRedisSentinel) & {
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: "error", listener: () => void): unknown;
};

const standalone = await startRedis();
const cluster = await startCluster({ primaries: 1 });
const group = await startSentinel({ replicas: 1, sentinels: 1 });
const [clusterNode = standalone] = cluster.nodes;
const primary = await group.primary();
afterAll(async () => {
  await Promise.all([standalone.stop(), cluster.stop(), group.stop()]);
});

/** Whoever looks for the server is led to the proxy. */
const led = (server: { host: string; port: number }, port: number) => ({
  [`${server.host}:${server.port}`]: { host: server.host, port },
});
const clusterOptions = (port: number) => ({
  rootNodes: [{ socket: { host: "127.0.0.1", port } }],
  nodeAddressMap: led(clusterNode, port),
});
const sentinelOptions = (port: number) => ({
  name: group.name,
  sentinelRootNodes: [...group.sentinels],
  nodeAddressMap: led(primary, port),
});

describe.each([
  {
    kind: "a client of 6",
    server: standalone,
    make: (port: number): Client => createClient({ socket: { port } }),
  },
  {
    kind: "a client of 5",
    server: standalone,
    make: (port: number): Client => createClient5({ socket: { port } }),
  },
  {
    kind: "a cluster of 6",
    server: clusterNode,
    make: (port: number): Client => createCluster(clusterOptions(port)),
  },
  {
    kind: "a cluster of 5",
    server: clusterNode,
    make: (port: number): Client => createCluster5(clusterOptions(port)),
  },
  {
    kind: "a sentinel of 6",
    server: primary,
    make: (port: number): Client => createSentinel(sentinelOptions(port)),
  },
  {
    kind: "a sentinel of 5",
    server: primary,
    make: (port: number): Client => createSentinel5(sentinelOptions(port)),
  },
])("a reply that is lost after the command ran, over $kind", ({ kind, server, make }) => {
  it("leaves one unit taken", async () => {
    await using proxy = await startProxy(server);
    const client = make(proxy.port);
    client.on("error", vi.fn());
    await client.connect();
    const key = kind;
    const limiter = limiterOver(client);
    await limiter.peek("b");
    proxy.behave({ replies: "swallow" });
    const lost = limiter.consume(key);
    lost.catch(vi.fn());
    await vi.waitFor(async () =>
      expect(await server.command("EXISTS", `sluice:api:bucket.1:{${key}}`)).toBe(1),
    );
    proxy.behave({});
    proxy.cut();
    await expect(lost).rejects.toMatchObject({ code: /^ERR_SLUICE_STORE/, mayHaveCounted: true });
    await vi.waitFor(async () => expect((await limiter.peek(key)).remaining).toBe(9), { timeout: 5_000 });
    client.destroy();
  });
});

function limiterOver(client: Client) {
  const store = nodeRedisStore(client, { timeoutMs: 2_000 });
  return tokenBucket({ name: "api", capacity: 10, refill: { tokens: 10, every: "1h" }, store });
}
