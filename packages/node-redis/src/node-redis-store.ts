import { Buffer } from "node:buffer";
import {
  InvalidPolicyError,
  type RedisCommand,
  type RedisConnection,
  type RedisStoreOptions,
  redisStore,
  type Store,
} from "@sluice/core";

type Word = string | Buffer;

/** The first byte of a bulk string in the protocol, by which a client's type mapping names it: `$`. */
const BULK_STRING = 0x24;
/** Asks for bulk strings in bytes, whatever the client maps them to otherwise. */
interface InBytes {
  typeMapping: { [BULK_STRING]: typeof Buffer };
}
const IN_BYTES: InBytes = { typeMapping: { [BULK_STRING]: Buffer } };

/** What clients of all kinds have in common. */
interface Connectable {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  on(event: "error", listener: () => void): unknown;
  listenerCount(event: "error"): number;
}

/** What `createClient` returns, as far as a store needs it. */
export interface NodeRedisClient extends Connectable {
  readonly isReady: boolean;
  duplicate(): unknown;
  sendCommand(words: Word[], options?: InBytes): Promise<unknown>;
}

/** What `createCluster` returns, likewise. */
export interface NodeRedisCluster extends Connectable {
  readonly masters: readonly unknown[];
  /** Version 5 does not say. */
  readonly isReady?: boolean;
  readonly slots: readonly unknown[];
  sendCommand(key: Word, isReadonly: boolean, words: Word[], options?: InBytes): Promise<unknown>;
}

/** What `createSentinel` returns, likewise. */
export interface NodeRedisSentinel extends Connectable {
  readonly isReady: boolean;
  getMasterNode(): unknown;
  sendCommand(
    isReadonly: boolean,
    words: Word[],
    options?: InBytes & { abortSignal: AbortSignal },
  ): Promise<unknown>;
}

type Client = NodeRedisClient | NodeRedisCluster | NodeRedisSentinel;

/**
 * A store on Redis or Valkey through a client of node-redis, which may be shared with other work. The client stays the
 * caller's: it is never closed here, and connected only where nobody has, by the first call.
 *
 * @example
 * ```ts
 * import { createClient } from "redis";
 * import { nodeRedisStore } from "@sluice/node-redis";
 *
 * const client = createClient({ url: process.env.REDIS_URL ?? "redis://127.0.0.1:6379" });
 * const store = nodeRedisStore(client, { prefix: "shop" });
 * console.log(store.health().state); // closed
 * ```
 * @throws InvalidPolicyError for what is no such client, InvalidKeyError for a prefix with a brace
 */
export function nodeRedisStore(client: Client, options?: RedisStoreOptions): Store {
  const connection = connections.get(client) ?? connectionOver(client);
  connections.set(client, connection);
  return redisStore(connection, options);
}

/** One for a client, however many stores are made on it: it remembers whether the client was open. */
const connections = new WeakMap<Client, RedisConnection>();

function connectionOver(client: Client): RedisConnection {
  if (mapsTypes(client)) {
    if ("slots" in client) {
      return {
        ...connecting(client, () => client.isReady ?? (client.isOpen && client.masters.length > 0), true),
        isCluster: true,
        send: (command, args, key) => client.sendCommand(key, false, words(command, args), IN_BYTES),
      };
    }
    if ("getMasterNode" in client) {
      return {
        ...connecting(client, () => client.isReady, true),
        send: (command, args) =>
          client.sendCommand(false, words(command, args), { ...IN_BYTES, abortSignal: sendOnce() }),
      };
    }
    // a pool and a sentinel's lease have none
    if ("duplicate" in client) {
      return {
        ...connecting(client, () => client.isReady, false),
        send: (command, args) => client.sendCommand(words(command, args), IN_BYTES),
      };
    }
  }
  throw new InvalidPolicyError(
    "nodeRedisStore: the first argument must be a client of node-redis, as createClient(), createCluster() or " +
      "createSentinel() returns",
  );
}

/**
 * What concerns the connection itself. A client that was open once and is open no more has been closed by its owner, for
 * it goes on by itself until then; a cluster and a sentinel may give up, and can be told to connect again.
 */
function connecting(
  client: Connectable,
  isReady: () => boolean,
  mayGiveUp: boolean,
): Pick<RedisConnection, "readiness" | "connect" | "wasNeverSent"> {
  let wasOpen = client.isOpen;
  return {
    readiness() {
      wasOpen ||= client.isOpen;
      if (isReady()) return "ready";
      if (client.isOpen) return "connecting";
      return wasOpen ? "closed" : "idle";
    },
    connect() {
      // without a listener the client would bring the process down over a server that is not there yet
      if (client.listenerCount("error") === 0) client.on("error", () => {});
      client.connect().catch((error: unknown) => {
        if (mayGiveUp) wasOpen = error instanceof Error && CLOSED.test(error.message);
      });
    },
    wasNeverSent: (error) => error instanceof Error && NEVER_SENT.test(error.message),
  };
}

/** What an attempt to connect ends with where the owner has closed the client meanwhile. */
const CLOSED = /^(The client is closed|Disconnects client|Cluster closed)$/;

/** What a client says when it neither sends nor keeps a command. */
const NEVER_SENT = /^The (client is (closed|offline)|queue is full)$/;

/** Whether it can be asked for bytes: clients of other kinds have `sendCommand` too, and some of them `slots`. */
function mapsTypes(client: Client): boolean {
  if (typeof client !== "object" || client === null) return false;
  return typeof client.sendCommand === "function" && "withTypeMapping" in client;
}

/**
 * A signal that is aborted from the second time on that somebody looks. A sentinel sends a command again when the
 * connection was lost under it, which may have counted; the client looks whenever it is told to send one.
 */
function sendOnce(): AbortSignal {
  const { signal } = new AbortController();
  let isAborted = false;
  const get = (): boolean => {
    const wasAborted = isAborted;
    isAborted = true;
    return wasAborted;
  };
  return Object.defineProperty(signal, "aborted", { get });
}

/** Buffers that share the bytes they are made from. */
function words(command: RedisCommand, args: readonly (string | Uint8Array)[]): Word[] {
  const sendable = args.map((arg) =>
    typeof arg === "string" ? arg : Buffer.from(arg.buffer, arg.byteOffset, arg.byteLength),
  );
  return [command, ...sendable];
}
