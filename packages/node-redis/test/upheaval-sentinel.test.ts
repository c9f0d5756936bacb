import type { RedisStoreOptions } from "@sluice/core";
import { startSentinel } from "@sluice/redis-server";
import { proveOnSentinel } from "@sluice/store-conformance";
import { createSentinel } from "redis";
import { createSentinel as createSentinel5 } from "redis-5";
import { afterAll, vi } from "vitest";
import { nodeRedisStore } from "../src/index.js";

const group = await startSentinel();
const way = { sentinelRootNodes: [...group.sentinels], name: group.name };
const [client6, client5] = await Promise.all([
  createSentinel(way).on("error", vi.fn()).connect(),
  createSentinel5(way).on("error", vi.fn()).connect(),
]);
afterAll(async () => {
  client6.destroy();
  client5.destroy();
  await group.stop();
});

proveOnSentinel(group, {
  "node-redis 6": (options: RedisStoreOptions) => nodeRedisStore(client6, options),
  "node-redis 5": (options: RedisStoreOptions) => nodeRedisStore(client5, options),
});
