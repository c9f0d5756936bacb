import { startProxy } from "@sluice/fault-proxy";
import { startCluster, startRedis } from "@sluice/redis-server";
import { tokenBucket } from "@sluice/token-bucket";
import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { Redis as ValkeyClient } from "iovalkey";
import { afterAll, describe, expect, it, vi } from "vitest";
import { type IoredisClient, ioredisStore } from "../src/index.js";

type Client = IoredisClient & { disconnect(): void; on(event: "error", listener: () => void): unknown };

interface Options {
  enableAutoPipelining?: boolean;
  commandTimeout?: number;
}

const standalone = await startRedis();
const cluster = await startCluster({ primaries: 1 });
const [node = standalone] = cluster.nodes;
afterAll(() => Promise.all([standalone.stop(), cluster.stop()]));

const redisOptions = (options: Options) => ({ ...options, retryStrategy: () => 10 });
/** Whoever looks for the node is led to the proxy. */
const clusterOptions = (port: number, options: Options) => ({
  ...options,
  natMap: { [`${node.host}:${node.port}`]: { host: node.host, port } },
});
const seeds = (port: number) => [{ host: node.host, port }];

const kinds = [
  {
    kind: "ioredis 6",
    server: standalone,
    open: (p: number, o: Options): Client => new Redis(p, redisOptions(o)),
  },
  {
    kind: "ioredis 5",
    server: standalone,
    open: (p: number, o: Options): Client => new Redis5(p, redisOptions(o)),
  },
  {
    kind: "iovalkey",
    server: standalone,
    open: (p: number, o: Options): Client => new ValkeyClient(p, redisOptions(o)),
  },
  {
    kind: "a cluster of 6",
    server: node,
    open: (p: number, o: Options): Client => new Cluster(seeds(p), clusterOptions(p, o)),
  },
  {
    kind: "a cluster of 5",
    server: node,
    open: (p: number, o: Options): Client => new Cluster5(seeds(p), clusterOptions(p, o)),
  },
];

describe.each(kinds)("a reply that is lost after the command ran, over $kind", ({ kind, server, open }) => {
  it.each([true, false])("leaves one unit taken, auto-pipelining: %s", async (enableAutoPipelining) => {
    await using proxy = await startProxy(server);
    const client = open(proxy.port, { enableAutoPipelining });
    client.on("error", vi.fn());
    const key = `${kind} ${enableAutoPipelining}`;
    const limiter = limiterOver(client);
    await limiter.peek("b");
    proxy.behave({ replies: "swallow" });
    const lost = limiter.consume(key);
    lost.catch(vi.fn());
    const stateKey = `sluice:api:bucket.1:{${key}}`;
    await vi.waitFor(async () => expect(await server.command("EXISTS", stateKey)).toBe(1));
    proxy.behave({});
    proxy.cut();
    await expect(lost).rejects.toMatchObject({ code: /^ERR_SLUICE_STORE/, mayHaveCounted: true });
    await vi.waitFor(async () => expect((await limiter.peek(key)).remaining).toBe(9), { timeout: 5_000 });
    client.disconnect();
  });
});

it("a call that the client's own commandTimeout ends takes one unit", async () => {
  await using proxy = await startProxy(standalone);
  const client = new Redis(proxy.port, redisOptions({ commandTimeout: 100 })).on("error", vi.fn());
  const limiter = limiterOver(client);
  await limiter.peek("b");
  proxy.behave({ replies: "swallow" });
  await expect(limiter.consume("timed out")).rejects.toMatchObject({ mayHaveCounted: true });
  proxy.behave({});
  proxy.cut();
  await vi.waitFor(async () => expect(await limiter.consume("timed out")).toMatchObject({ remaining: 8 }));
  client.disconnect();
});

function limiterOver(client: Client) {
  const store = ioredisStore(client, { timeoutMs: 2_000 });
  return tokenBucket({ name: "api", capacity: 10, refill: { tokens: 10, every: "1h" }, store });
}
