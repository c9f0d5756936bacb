import { Buffer } from "node:buffer";
import { InvalidPolicyError, type RedisStoreOptions, redisStore, type Store } from "@sluice/core";

/**
 * What this adapter needs of a client: ioredis's `Redis` and `Cluster` have it, of every version claimed, and so has
 * whatever keeps their API.
 */
export interface IoredisClient {
  /** Sends any command; bulk strings come back as buffers. */
  callBuffer(command: string, args: (string | Buffer)[]): Promise<unknown>;
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
  if (typeof client?.callBuffer !== "function") {
    throw new InvalidPolicyError(
      "ioredisStore: the first argument must be an ioredis client, as new Redis() or new Cluster([...]) returns",
    );
  }
  return redisStore(
    {
      send(command, args) {
        // ioredis sends bytes as they are only when they come as a Buffer
        const sendable = args.map((arg) =>
          typeof arg === "string" ? arg : Buffer.from(arg.buffer, arg.byteOffset, arg.byteLength),
        );
        return client.callBuffer(command, sendable);
      },
    },
    options,
  );
}
