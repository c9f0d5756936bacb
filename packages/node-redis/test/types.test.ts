import { createClient, createCluster, createSentinel } from "redis";
import {
  createClient as createClient5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from "redis-5";
import { expect, it } from "vitest";
import { nodeRedisStore } from "../src/index.js";

const sentinel = { name: "main", sentinelRootNodes: [{ host: "127.0.0.1", port: 1 }] };
const cluster = { rootNodes: [{ url: "redis://127.0.0.1:1" }] };

it("takes the clients of both majors without a cast, and connects none of them", () => {
  const clients = [createClient(), createClient({ RESP: 3 }), createClient5(), createClient5({ RESP: 3 })];
  for (const client of clients) expect(client.isOpen).toBe(false);
  const stores = [
    nodeRedisStore(createClient()),
    nodeRedisStore(createClient({ RESP: 3 })),
    nodeRedisStore(createClient({ RESP: 2 })),
    nodeRedisStore(createClient5()),
    nodeRedisStore(createClient5({ RESP: 3 })),
    nodeRedisStore(createCluster(cluster)),
    nodeRedisStore(createCluster({ ...cluster, RESP: 2 })),
    nodeRedisStore(createCluster5(cluster)),
    nodeRedisStore(createCluster5({ ...cluster, RESP: 3 })),
    nodeRedisStore(createSentinel(sentinel)),
    nodeRedisStore(createSentinel({ ...sentinel, RESP: 2 })),
    nodeRedisStore(createSentinel5(sentinel)),
    nodeRedisStore(createSentinel5({ ...sentinel, RESP: 3 })),
  ];
  for (const store of stores) expect(store.health().state).toBe("closed");
});
