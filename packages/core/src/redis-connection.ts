/** The commands that a store sends; what a script calls on the server comes to these beside. */
export type RedisCommand = "EVALSHA" | "EVAL";

/**
 * What {@link redisStore} needs of a Redis client. An adapter for another client is this and little more.
 *
 * A client that sends a command again after a lost connection would count a call twice. Where a client does so, the
 * adapter says when a connection is lost, and passes the bytes in `args` on as they are, not as a copy: before the
 * command goes out again the store has struck out the script's name in them, and Redis runs nothing.
 */
export interface RedisConnection {
  /** Whether the keys of one command must share a hash tag, as in a cluster; default false. */
  readonly isCluster?: boolean | undefined;

  /**
   * Sends one command, such as `EVALSHA` with `[sha, "1", key, argument]`, and resolves with its reply: bulk strings
   * as bytes (a `Uint8Array`, so a `Buffer` too), arrays as arrays, integers as numbers. Rejects with an `Error` whose
   * message is the server's error reply, or with the client's own error.
   *
   * @param key the first of the keys that the command touches, as it stands in `args`: it picks the node of a cluster
   */
  send(command: RedisCommand, args: readonly (string | Uint8Array)[], key: string): Promise<unknown>;

  /** Takes a listener to call whenever a connection is lost on which a command may have been under way. */
  onConnectionLost?(listener: () => void): void;
}
