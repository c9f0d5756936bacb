import type { RedisStoreOptions } from "@sluice/core";
import { tokenBucket } from "@sluice/token-bucket";
import { createClient, createClientPool, createCluster, createSentinel } from "redis";
import {
  createClient as createClient5,
  createClientPool as createClientPool5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from "redis-5";
import { vi } from "vitest";
import {
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisSentinel,
  nodeRedisStore,
} from "../src/index.js";

interface Protocol {
  RESP?: 2 | 3;
}

/** The options of both majors that concern a store. */
export interface ClientOptions extends Protocol {
  url?: string;
  database?: number;
  disableOfflineQueue?: boolean;
  commandsQueueMaxLength?: number;
  socket?:
    | { path: string; tls: false; reconnectStrategy: number }
    | { host: string; port: number; tls: false; reconnectStrategy: number };
}

export interface ClusterOptions extends Protocol {
  rootNodes: { url: string }[];
}

export interface SentinelOptions extends Protocol {
  name: string;
  sentinelRootNodes: { host: string; port: number }[];
}

/** What the owner of a client does with it. The types of the clients themselves are too big to be joined to one. */
export interface Owned {
  readonly isOpen: boolean;
  on(event: "error", listener: () => void): unknown;
  connect(): Promise<unknown>;
  close(): Promise<unknown>;
  destroy(): unknown;
}

/** The first byte of a bulk string in the protocol, by which type mappings name it: `$`. */
export const BULK_STRING = 0x24;

interface Mapping {
  [BULK_STRING]: StringConstructor | BufferConstructor;
}

interface Transaction {
  incr(key: string): Transaction;
  exec(): Promise<unknown>;
}

export interface OwnedClient extends Owned, NodeRedisClient {
  readonly isReady: boolean;
  duplicate(): OwnedClient;
  asap(): NodeRedisClient;
  withTypeMapping(mapping: Mapping): NodeRedisClient;
  legacy(): unknown;
  multi(): Transaction;
  publish(channel: string, message: string): Promise<number>;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
}

export interface OwnedCluster extends Owned, NodeRedisCluster {
  withTypeMapping(mapping: Mapping): NodeRedisCluster;
}

export interface OwnedSentinel extends Owned, NodeRedisSentinel {
  withTypeMapping(mapping: Mapping): NodeRedisSentinel;
  acquire(): Promise<unknown>;
}

export interface Major {
  readonly major: 5 | 6;
  makeClient(options: ClientOptions): OwnedClient;
  makeCluster(options: ClusterOptions): OwnedCluster;
  makeSentinel(options: SentinelOptions): OwnedSentinel;
  makePool(): unknown;
}

export const MAJORS: readonly Major[] = [
  {
    major: 6,
    makeClient: (options) => createClient(options),
    makeCluster: (options) => createCluster(options),
    makeSentinel: (options) => createSentinel(options),
    makePool: () => createClientPool(),
  },
  {
    major: 5,
    makeClient: (options) => createClient5(options),
    makeCluster: (options) => createCluster5(options),
    makeSentinel: (options) => createSentinel5(options),
    makePool: () => createClientPool5(),
  },
];

const begun: Owned[] = [];

export async function connect<C extends Owned>(client: C): Promise<C> {
  await connecting(client).connected;
  return client;
}

/** Begins to connect, which may take for ever. */
export function connecting<C extends Owned>(client: C): { client: C; connected: Promise<unknown> } {
  begun.push(client);
  client.on("error", vi.fn());
  const connected = client.connect();
  connected.catch(vi.fn());
  return { client, connected };
}

/** Leaves nothing of the clients that were connected so far, or were about to be. */
export async function destroyAll(): Promise<void> {
  for (const client of begun.splice(0)) if (client.isOpen) await client.destroy();
}

/** Ten tokens that come back slowly enough to be counted, and time enough for a machine that is busy. */
export function bucketOn(
  client: NodeRedisClient | NodeRedisCluster | NodeRedisSentinel,
  options: RedisStoreOptions = {},
): ReturnType<typeof tokenBucket> {
  const store = nodeRedisStore(client, { timeoutMs: 10_000, ...options });
  return tokenBucket({ name: "api", capacity: 10, refill: { tokens: 10, every: "1h" }, store });
}
