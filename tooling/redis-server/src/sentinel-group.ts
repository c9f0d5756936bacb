import type { RedisServer } from "./redis-server.ts";
import { knowsReplica, primaryPorts } from "./sentinel-word.ts";
import { every, waitFor, waitUntil } from "./wait-for.ts";

/** Before Redis 7.0 sentinels take a look at a replica every ten seconds, and need two looks. */
const HANDOVER_TIMEOUT_MS = 40_000;

/** A primary and its replicas, watched by sentinels; all of it is nobody else's. */
export interface RedisSentinelGroup extends AsyncDisposable {
  /** The name by which the sentinels know the group. */
  readonly name: string;
  /** Where the sentinels listen, for a client. */
  readonly sentinels: readonly { host: string; port: number }[];
  /** The sentinels themselves. */
  readonly sentinelServers: readonly RedisServer[];
  /** The server that was the primary at first, and then its replicas. */
  readonly servers: readonly RedisServer[];
  /** The primary in the word of a sentinel. */
  primary(): Promise<RedisServer>;
  /** Kills the primary as a crash would, and waits until every sentinel names another. Returns that one. */
  failOver(): Promise<RedisServer>;
  /** Has a replica take over while the primary lives, which then follows it. Returns the new primary. */
  handOver(): Promise<RedisServer>;
  /** Ends all of them and removes their folders. Calling it again does nothing. */
  stop(): Promise<void>;
}

/** What callers get of servers that sentinels watch. */
export function redisSentinelGroup(
  name: string,
  servers: readonly RedisServer[],
  sentinelServers: readonly RedisServer[],
  stop: () => Promise<void>,
): RedisSentinelGroup {
  const serverAt = (port: number | undefined) => servers.find((server) => server.port === port);

  const primary = async (): Promise<RedisServer> => {
    const [port] = await primaryPorts(sentinelServers, name);
    const server = serverAt(port);
    if (server === undefined) throw new Error("no sentinel answers");
    return server;
  };
  /** The primary that every sentinel names and that takes itself for it, once it is not `former`. */
  const successorOf = (former: RedisServer): Promise<RedisServer> =>
    waitFor("the sentinels name another primary", async () => {
      const ports = await primaryPorts(sentinelServers, name);
      const server = serverAt(ports[0]);
      if (server === undefined || server === former || new Set(ports).size > 1) return undefined;
      const role = await server.command("ROLE");
      return Array.isArray(role) && role[0] === "master" ? server : undefined;
    });

  return {
    name,
    sentinels: sentinelServers.map(({ host, port }) => ({ host, port })),
    sentinelServers,
    servers,
    primary,
    async failOver() {
      const former = await primary();
      await former.kill();
      return successorOf(former);
    },
    async handOver() {
      const former = await primary();
      const sentinel = sentinelServers.find((server) => !server.ended());
      // It refuses while it does not know yet how its replicas do.
      await waitUntil("a sentinel starts the handover", async () => {
        return (await sentinel?.command("SENTINEL", "FAILOVER", name)) === "OK";
      });
      const successor = await successorOf(former);
      const living = sentinelServers.filter((server) => !server.ended());
      // One that had not seen this would take the next handover for a mistake of `former`, and undo it.
      await waitUntil(
        "the sentinels know that the former primary follows",
        () => every(living, (sentinel) => knowsReplica(sentinel, name, former)),
        HANDOVER_TIMEOUT_MS,
      );
      return successor;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
