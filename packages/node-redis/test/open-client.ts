import type { RedisStoreOptions, Store } from "@sluice/core";
import { nodeRedisStore } from "../src/index.js";

interface ClientOptions {
  url?: string;
  database?: number;
  socket?: { path: string; tls: false } | { host: string; port: number; tls: true; ca: string };
}

interface ClusterOptions {
  rootNodes: { url: string }[];
}

interface SentinelOptions {
  name: string;
  sentinelRootNodes: { host: string; port: number }[];
  nodeClientOptions: { password: string };
}

/** Which kind of client leads where. */
export type Way = { client: ClientOptions } | { cluster: ClusterOptions } | { sentinel: SentinelOptions };

/** A client in plain data, as another process can be told of it. */
export type Setting = Way & { major: 5 | 6; RESP: 2 | 3 };

/** A client that is connected, as far as a store and its owner are concerned. */
export interface OpenClient {
  storeOf(options: RedisStoreOptions): Store;
  close(): void;
}

export async function openClient(setting: Setting): Promise<OpenClient> {
  const client = await makeClient(setting);
  client.on("error", (error) => console.error(error));
  await client.connect();
  return {
    storeOf: (options) => nodeRedisStore(client, options),
    close: () => void client.destroy(),
  };
}

/** Loads one major alone: a crowd of processes starts sooner then. */
async function makeClient({ major, RESP, ...way }: Setting) {
  if ("client" in way) {
    const options = { RESP, ...way.client };
    return major === 6
      ? (await import("redis")).createClient(options)
      : (await import("redis-5")).createClient(options);
  }
  if ("cluster" in way) {
    const options = { RESP, ...way.cluster };
    return major === 6
      ? (await import("redis")).createCluster(options)
      : (await import("redis-5")).createCluster(options);
  }
  const options = { RESP, ...way.sentinel };
  return major === 6
    ? (await import("redis")).createSentinel(options)
    : (await import("redis-5")).createSentinel(options);
}
