/** The commands that a store sends; what a script calls on the server comes to these beside. */
export type RedisCommand = "EVALSHA" | "EVAL";

/**
 * How a client is placed to send: `"ready"`; `"connecting"`, for the first time or again; `"idle"`: nobody has told it to
 * connect yet; `"closed"` by its owner, or for good.
 */
export type RedisReadiness = "ready" | "connecting" | "idle" | "closed";

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

  /**
   * Whether a command that is sent now goes out now. Until it does the store holds calls back: a command that waits in
   * the client may yet run when its caller has long been told that it failed. Default: always `"ready"`.
   */
  readiness?(): RedisReadiness;

  /** Begins to connect. Called while calls wait for a client that is `"idle"`; must not throw or reject. */
  connect?(): void;

  /** Whether an error of the client's own says that the command never left this process. Default: none does. */
  wasNeverSent?(error: unknown): boolean;

  /** Takes a listener to call whenever a connection is lost on which a command may have been under way. */
  onConnectionLost?(listener: () => void): void;
}
