/** Run by tests: a process that has servers and then comes to an end. */
import type { RedisServer } from "../src/redis-server.ts";
import { startCluster } from "../src/start-cluster.ts";
import { startRedis } from "../src/start-redis.ts";
import { startSentinel } from "../src/start-sentinel.ts";

const [mode, topology] = process.argv.slice(2);
const servers = await start(topology);
console.log(JSON.stringify(servers.map(({ port, folder }) => ({ port, folder }))));

switch (mode) {
  case "wait":
    // Until the test is over, however it ends: then nobody holds the other end.
    process.stdin.resume().on("end", () => process.exit());
    break;
  case "throw":
    setImmediate(() => {
      throw new Error("on purpose");
    });
    break;
  case "exit":
    process.exit(0);
    break;
  default:
  // Nothing keeps it alive: a server that is forgotten does not either.
}

async function start(what: string | undefined): Promise<readonly RedisServer[]> {
  switch (what) {
    case "cluster":
      return (await startCluster({ primaries: 2 })).nodes;
    case "sentinel": {
      const { servers, sentinelServers } = await startSentinel({ sentinels: 2 });
      return [...servers, ...sentinelServers];
    }
    case "crashed": {
      const server = await startRedis();
      await server.kill();
      return [server];
    }
    case "restarted": {
      const server = await startRedis();
      await server.kill();
      await server.restart();
      return [server];
    }
    default:
      return [await startRedis()];
  }
}
