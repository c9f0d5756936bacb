import { startCluster, startRedis, startSentinel, startTlsRedis, supportsTls } from "@sluice/redis-server";
import { type Candidate, proveConnection, proveStore } from "@sluice/store-conformance";
import { createClient } from "redis";
import { afterAll, it } from "vitest";
import { openClient, type Setting, type Way } from "./open-client.js";

const password = "open sesame";
const database = 3;
const [redis, locked, tls, cluster, group] = await Promise.all([
  startRedis(),
  startRedis({ password }),
  (await supportsTls()) ? startTlsRedis() : undefined,
  startCluster(),
  startSentinel({ password }),
]);
const third = await createClient({ url: redis.url, database }).connect();
const closing = [() => third.destroy()];
afterAll(async () => {
  for (const close of closing) close();
  await Promise.all([redis, locked, tls, cluster, group].map((servers) => servers?.stop()));
});

const { url, socketPath: path } = redis;
const oneServer: Way = { client: { url } };
const nodes: Way = { cluster: { rootNodes: cluster.nodes.map((node) => ({ url: node.url })) } };
const sentinels: Way = {
  sentinel: {
    name: group.name,
    sentinelRootNodes: [...group.sentinels],
    nodeClientOptions: { password },
  },
};
const primary = [await group.primary()];
const thirdDatabase = [{ command: (...args: string[]) => third.sendCommand(args) }];

proveStore(await candidate("one server", [redis], { major: 6, RESP: 3, ...oneServer }));
proveStore(await candidate("cluster", cluster.nodes, { major: 6, RESP: 2, ...nodes }));
proveStore(await candidate("Sentinel", primary, { major: 5, RESP: 2, ...sentinels }));

for (const setting of [
  { major: 6, RESP: 2 },
  { major: 5, RESP: 3 },
  { major: 5, RESP: 2 },
] as const) {
  await connection("one server", [redis], { ...setting, ...oneServer });
}
for (const setting of [
  { major: 6, RESP: 3 },
  { major: 5, RESP: 2 },
] as const) {
  await connection("cluster", cluster.nodes, { ...setting, ...nodes });
  await connection("Sentinel", primary, { ...setting, RESP: 3, ...sentinels });
  await connection("password", [locked], { ...setting, client: { url: locked.url } });
  await connection("Unix socket", [redis], { ...setting, client: { socket: { path, tls: false } } });
  await connection("a database", thirdDatabase, { ...setting, client: { url, database } });
  if (tls === undefined) {
    it.skip(`node-redis ${setting.major}, TLS (skipped: this server was built without it)`);
  } else {
    const { host, tlsPort: port, ca } = tls;
    await connection("TLS", [tls], { ...setting, client: { socket: { host, port, tls: true, ca } } });
  }
}

async function connection(where: string, servers: Candidate["servers"], setting: Setting): Promise<void> {
  proveConnection(await candidate(where, servers, setting));
}

async function candidate(where: string, servers: Candidate["servers"], setting: Setting): Promise<Candidate> {
  const { storeOf, close } = await openClient(setting);
  closing.push(close);
  return {
    name: `node-redis ${setting.major}, RESP ${setting.RESP}, ${where}`,
    open: storeOf,
    servers,
    program: { path: new URL("crowd.ts", import.meta.url), args: [JSON.stringify(setting)] },
  };
}
