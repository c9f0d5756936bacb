/** Run by the fault suite with the name of a library: callers in a process of their own. */
import { obeyOrders } from "@sluice/fault-proof/callers";
import { ioredisStore } from "../src/index.js";

const options = { retryStrategy: () => 50 };

await obeyOrders(async (port, storeOptions, library) => {
  const client = await openClient(port, library);
  return { store: ioredisStore(client, storeOptions), close: () => client.disconnect() };
});

/** Loads one library alone. */
async function openClient(port: number, library: string | undefined) {
  const ignore = (): void => {};
  if (library === "ioredis 5") {
    const { Redis } = await import("ioredis-5");
    return new Redis(port, options).on("error", ignore);
  }
  const { Redis } = await import("ioredis");
  return new Redis(port, options).on("error", ignore);
}
