import type { RedisStoreOptions } from "@sluice/core";
import { startSentinel } from "@sluice/redis-server";
import { proveOnSentinel } from "@sluice/store-conformance";
import { Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import { Redis as ValkeyClient } from "iovalkey";
import { afterAll, vi } from "vitest";
import { ioredisStore } from "../src/index.js";

const group = await startSentinel();
const way = { sentinels: [...group.sentinels], name: group.name };
const clients = {
  "ioredis 6": new Redis(way).on("error", vi.fn()),
  "ioredis 6, auto-pipelining": new Redis({ ...way, enableAutoPipelining: true }).on("error", vi.fn()),
  "ioredis 5": new Redis5(way).on("error", vi.fn()),
  iovalkey: new ValkeyClient(way).on("error", vi.fn()),
};
afterAll(async () => {
  for (const client of Object.values(clients)) client.disconnect();
  await group.stop();
});

proveOnSentinel(
  group,
  Object.fromEntries(
    Object.entries(clients).map(([name, client]) => [
      name,
      (options: RedisStoreOptions) => ioredisStore(client, options),
    ]),
  ),
);
