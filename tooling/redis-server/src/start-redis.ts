import { launch } from "./launch.ts";
import type { RedisServer } from "./redis-server.ts";

export interface StartRedisOptions {
  /** Further arguments of the server, such as `["--maxmemory", "50mb"]`; they win over our own. */
  args?: readonly string[];
  /** A loopback port; by default a free one. */
  port?: number;
  /** What clients have to say first; by default nothing. `command` and `cli` say it. */
  password?: string;
  /** A command that runs the server, such as `["valgrind", "--tool=callgrind"]`. It must become it by `exec`. */
  wrapper?: readonly string[];
  /** How long it may take to answer, in milliseconds: 15 s, and 60 s under a wrapper. */
  startTimeoutMs?: number;
}

/**
 * Starts a throw-away Redis (or Valkey) server on a free loopback port, without persistence.
 *
 * @example
 * const redis = await startRedis();
 * console.log(redis.url, await redis.command("PING"));
 * await redis.stop();
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<RedisServer> {
  const { args = [], port, password, wrapper, startTimeoutMs } = options;
  return launch({
    args,
    port,
    password,
    wrapper,
    startTimeoutMs: startTimeoutMs ?? (wrapper === undefined ? undefined : 60_000),
    // There is nothing to save, but a wrapper may have results to write.
    graceMs: wrapper === undefined ? 1_000 : 60_000,
  });
}
