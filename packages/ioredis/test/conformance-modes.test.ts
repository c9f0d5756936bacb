import { startRedis, startTlsRedis, supportsTls } from "@sluice/redis-server";
import { type Candidate, proveConnection } from "@sluice/store-conformance";
import { Redis } from "ioredis";
import { afterAll, expect, it } from "vitest";
import { Clients, LIBRARIES, type Way } from "./conformance-clients.js";

const password = "a password";
const redis = await startRedis({ password });
const tls = (await supportsTls()) ? await startTlsRedis() : undefined;
const third = new Redis({ port: redis.port, password, db: 3 });
const thirdDatabase = { command: (command: string, ...args: string[]) => third.call(command, ...args) };
const clients = new Clients();
afterAll(async () => {
  clients.close();
  third.disconnect();
  await Promise.all([redis.stop(), tls?.stop()]);
});

const { port, socketPath: path } = redis;
for (const library of LIBRARIES) {
  const prove = async (
    title: string,
    options: Way["options"],
    servers: Candidate["servers"] = [redis],
  ): Promise<void> => proveConnection(await clients.candidate(library, title, { options }, servers));

  await prove("auto-pipelining, password", { port, password, enableAutoPipelining: true });
  await prove("Unix socket", { path, password });
  await prove("keyPrefix, a database", { port, password, keyPrefix: "app:", db: 3 }, [thirdDatabase]);
  if (tls === undefined) it.skip(`${library}, TLS (skipped: this server was built without it)`);
  else await prove("TLS", { port: tls.tlsPort, tls: { ca: tls.ca } }, [tls]);
  if (library === "ioredis 6") await prove("RESP 2", { port, password, protocol: 2 });
  else it.skip(`${library}, RESP 3 (skipped: it speaks RESP 2 alone)`);
}

it.each([{ protocol: 2 as const }, {}])(
  "ioredis 6 speaks RESP 3 unless it is told not to: %j",
  async (options) => {
    const client = new Redis({ port, password, ...options });
    expect(await client.call("HELLO")).toEqual(expect.arrayContaining(["proto", options.protocol ?? 3]));
    client.disconnect();
  },
);
