import type { RedisConnection } from "../src/redis-connection.js";
import { type RedisStoreOptions, redisStore } from "../src/redis-store.js";
import type { Store } from "../src/store.js";

/** A store over a real connection that can be told to fail, and to what end. */
export interface FailingStore {
  readonly store: Store;
  /** What every command fails with from now on; undefined: none does. */
  failWith(message: string | undefined): void;
}

export function failingStore(connection: RedisConnection, options?: RedisStoreOptions): FailingStore {
  let problem: string | undefined;
  const store = redisStore(
    {
      send: (...command) =>
        problem === undefined ? connection.send(...command) : Promise.reject(new Error(problem)),
    },
    options,
  );
  return {
    store,
    failWith(message) {
      problem = message;
    },
  };
}

/** The connection was lost: a call may have counted. */
export const LOST = "Connection is closed.";
/** The server refused: nothing was counted. */
export const READ_ONLY = "READONLY You can't write against a read only replica.";
