/** Run by the kit with the port of a server: callers in processes of their own, each with a connection. */
import { redisStore } from "@sluice/core";
import { connectResp } from "@sluice/redis-server";
import { joinCrowd } from "../src/crowd.ts";

await joinCrowd(async (options, port) => {
  const connection = await connectResp({ host: "127.0.0.1", port: Number(port) });
  return { store: redisStore(connection, options), close: connection.close };
});
