/** Run by the fault suite with the name of a library: callers in a process of their own. */
import { obeyOrders } from "@sluice/fault-proof/callers";
import { nodeRedisStore } from "../src/index.js";

await obeyOrders(async (port, storeOptions, library) => {
  const client = await makeClient(port, library);
  client.on("error", () => {});
  await client.connect();
  return { store: nodeRedisStore(client, storeOptions), close: () => void client.destroy() };
});

/** Loads one library alone. */
async function makeClient(port: number, library: string | undefined) {
  const options = { socket: { port, reconnectStrategy: 50 } };
  return library === "node-redis 5"
    ? (await import("redis-5")).createClient(options)
    : (await import("redis")).createClient(options);
}
