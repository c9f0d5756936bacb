/** The commands that a store sends; what a script calls on the server comes to these beside. */
export type RedisCommand = "EVALSHA" | "EVAL" | "DEL";

/**
 * What {@link redisStore} needs of a Redis client: one method. An adapter for another client is this and little more.
 *
 * It must not send a command again whose outcome it does not know.
 */
export interface RedisConnection {
  /**
   * Sends one command, such as `EVALSHA` with `[sha, "1", key, argument]`, and resolves with its reply: bulk strings
   * as bytes (a `Uint8Array`, so a `Buffer` too), arrays as arrays, integers as numbers. Rejects with an `Error` whose
   * message is the server's error reply, or with the client's own error.
   *
   * @param key the one key that the command touches, as it stands in `args`: it picks the node of a cluster
   */
  send(command: RedisCommand, args: readonly (string | Uint8Array)[], key: string): Promise<unknown>;
}
