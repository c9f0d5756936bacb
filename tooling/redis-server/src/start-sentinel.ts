import { type LaunchOptions, launch } from "./launch.ts";
import type { RedisServer } from "./redis-server.ts";
import { RedisReplyError } from "./resp.ts";
import { type RedisSentinelGroup, redisSentinelGroup } from "./sentinel-group.ts";
import { knowsOthers, knowsReplica } from "./sentinel-word.ts";
import { withServers } from "./server-group.ts";
import { startReplica } from "./start-replica.ts";
import { every, waitUntil } from "./wait-for.ts";

const NAME = "sluice";
const CONFIG_FILE = "sentinel.conf";

export interface StartSentinelOptions {
  /** How many replicas the primary has: 1. */
  replicas?: number;
  /** How many sentinels watch it: 3, the fewest among whom a vote for the one that acts is seldom a draw. */
  sentinels?: number;
  /** How long the primary may be silent until a sentinel thinks it gone, in milliseconds: 1,000. */
  downAfterMs?: number;
  /** What the primary and its replicas ask of clients; by default nothing. Sentinels ask for nothing. */
  password?: string;
}

/**
 * Starts a primary, its replicas, and sentinels that watch them, and waits until those could fail over. Before
 * Redis 7.0 a sentinel cannot be hurried: there the start takes some three seconds, a handover some twenty.
 *
 * @example
 * await using group = await startSentinel();
 * const client = new Redis({ sentinels: [...group.sentinels], name: group.name });
 * const successor = await group.failOver();
 */
export async function startSentinel(options: StartSentinelOptions = {}): Promise<RedisSentinelGroup> {
  const { replicas = 1, sentinels = 3, downAfterMs = 1_000, password } = options;
  return withServers(async (group) => {
    const primary = await group.start(() => launch({ password, args: [] }));
    const followers = await group.startAll(replicas, () => startReplica(primary));
    const watch = watcherOf(primary, { quorum: Math.floor(sentinels / 2) + 1, downAfterMs });
    const watchers = await group.startAll(sentinels, () => launch(watch));
    await Promise.all(watchers.map(hurry));
    await waitUntil("the sentinels know each other and the replicas", () =>
      every(watchers, async (watcher) => {
        const knowsAll = await every(followers, (replica) => knowsReplica(watcher, NAME, replica));
        return knowsAll && knowsOthers(watcher, NAME, sentinels - 1);
      }),
    );
    return redisSentinelGroup(NAME, [primary, ...followers], watchers, () => group.stop());
  });
}

function watcherOf(
  { host, port, password }: RedisServer,
  { quorum, downAfterMs }: { quorum: number; downAfterMs: number },
): LaunchOptions {
  const lines = [
    `monitor ${NAME} ${host} ${port} ${quorum}`,
    `down-after-milliseconds ${NAME} ${downAfterMs}`,
    // After twice this time it tries again where a vote was a draw.
    `failover-timeout ${NAME} 3000`,
  ];
  if (password !== undefined) lines.push(`auth-pass ${NAME} ${JSON.stringify(password)}`);
  const config = lines.map((line) => `sentinel ${line}\n`).join("");
  return { args: ["--sentinel"], files: { [CONFIG_FILE]: config }, configFile: CONFIG_FILE };
}

/** Shortens what lies between two greetings, or two looks at a server: seconds, by default. */
async function hurry(sentinel: RedisServer): Promise<void> {
  const periods = ["INFO-PERIOD", "500", "PUBLISH-PERIOD", "200", "ASK-PERIOD", "200", "PING-PERIOD", "200"];
  // On a machine that stalls it would distrust the clock, and do nothing for half a minute.
  const patience = ["TILT-TRIGGER", "10000"];
  try {
    await sentinel.command("SENTINEL", "DEBUG", ...periods, ...patience);
  } catch (error) {
    // Before 7.0 it knows no such command.
    if (!(error instanceof RedisReplyError)) throw error;
  }
}
