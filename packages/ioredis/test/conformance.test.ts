import { startRedis } from "@sluice/redis-server";
import { proveConnection, proveStore } from "@sluice/store-conformance";
import { afterAll } from "vitest";
import { Clients, LIBRARIES } from "./conformance-clients.js";

const redis = await startRedis();
const clients = new Clients();
afterAll(async () => {
  clients.close();
  await redis.stop();
});

for (const library of LIBRARIES) {
  // iovalkey is ioredis 5 under another name, so what any connection must do will do
  const prove = library === "iovalkey" ? proveConnection : proveStore;
  prove(await clients.candidate(library, "one server", { options: { port: redis.port } }, [redis]));
}
