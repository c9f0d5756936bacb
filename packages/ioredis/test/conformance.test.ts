import { startRedis } from "@sluice/redis-server";
import { proveStore } from "@sluice/store-conformance";
import { afterAll } from "vitest";
import { Clients, LIBRARIES } from "./conformance-clients.js";

const redis = await startRedis();
const clients = new Clients();
afterAll(async () => {
  clients.close();
  await redis.stop();
});

for (const library of LIBRARIES) {
  proveStore(await clients.candidate(library, "one server", { options: { port: redis.port } }, [redis]));
}
