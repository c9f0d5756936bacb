import { Buffer } from "node:buffer";
import {
  InvalidPolicyError,
  type RedisCommand,
  type RedisStoreOptions,
  redisStore,
  type Store,
} from "@sluice/core";

/**
 * A client of ioredis: `Redis` or `Cluster`, of every version claimed, or whatever keeps their API. By `callBuffer` it
 * is told from clients of other kinds.
 */
export interface IoredisClient {
  callBuffer(command: string, args: (string | Buffer)[]): Promise<unknown>;
  del(...keys: string[]): Promise<unknown>;
}

/**
 * Methods that ioredis has and does not declare: they reply in bytes. The one that is declared, `callBuffer`, fails when
 * auto-pipelining is on.
 */
interface ByteReplies {
  evalshaBuffer(sha1: string, keyCount: string, ...args: (string | Buffer)[]): Promise<unknown>;
  evalBuffer(script: string, keyCount: string, ...args: (string | Buffer)[]): Promise<unknown>;
}

/**
 * A store on Redis or Valkey through an ioredis client, which may be shared with other work. The client stays the
 * caller's: it is neither connected nor closed here.
 *
 * @example
 * ```ts
 * import { Redis } from "ioredis";
 * import { ioredisStore } from "@sluice/ioredis";
 *
 * const client = new Redis(process.env.REDIS_URL ?? "redis://127.0.0.1:6379");
 * const store = ioredisStore(client, { prefix: "shop" });
 * console.log(store.health().state); // closed
 * client.disconnect();
 * ```
 * @throws InvalidPolicyError for what is no such client, InvalidKeyError for a prefix with a brace
 */
export function ioredisStore(client: IoredisClient, options?: RedisStoreOptions): Store {
  if (!repliesInBytes(client)) {
    throw new InvalidPolicyError(
      "ioredisStore: the first argument must be an ioredis client, as new Redis() or new Cluster([...]) returns",
    );
  }
  return redisStore({ send: (command, args) => sendOver(client, command, args) }, options);
}

function repliesInBytes(client: IoredisClient): client is IoredisClient & ByteReplies {
  if (typeof client !== "object" || client === null) return false;
  return ["evalshaBuffer", "evalBuffer", "del"].every(
    (method) => typeof Reflect.get(client, method) === "function",
  );
}

function sendOver(
  client: IoredisClient & ByteReplies,
  command: RedisCommand,
  args: readonly (string | Uint8Array)[],
): Promise<unknown> {
  const [first = "", keyCount = "", ...rest] = args;
  switch (command) {
    case "EVALSHA":
      return client.evalshaBuffer(String(first), String(keyCount), ...rest.map(sendable));
    case "EVAL":
      return client.evalBuffer(String(first), String(keyCount), ...rest.map(sendable));
    case "DEL":
      return client.del(...args.map(String));
  }
}

/** ioredis sends bytes as they are only when they come as a `Buffer`. */
function sendable(arg: string | Uint8Array): string | Buffer {
  return typeof arg === "string" ? arg : Buffer.from(arg.buffer, arg.byteOffset, arg.byteLength);
}
