import { memoryStore, redisStore } from "@sluice/core";
import { connectResp, startRedis } from "@sluice/redis-server";
import { afterAll } from "vitest";
import { proveStore } from "../src/index.ts";

const redis = await startRedis();
const connection = await connectResp(redis);
afterAll(async () => {
  connection.close();
  await redis.stop();
});

proveStore({
  name: "memoryStore",
  open: ({ clock }) => memoryStore({ clock }),
  servers: undefined,
  program: undefined,
});

proveStore({
  name: "redisStore over a bare connection",
  open: (options) => redisStore(connection, options),
  servers: [redis],
  program: { path: new URL("crowd.ts", import.meta.url), args: [String(redis.port)] },
});
