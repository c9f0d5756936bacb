import { Buffer } from "node:buffer";
import {
  InvalidPolicyError,
  type RedisConnection,
  type RedisReadiness,
  type RedisStoreOptions,
  redisStore,
  type Store,
} from "@sluice/core";

/**
 * A client of ioredis: `Redis` or `Cluster`, of every version claimed, or one of iovalkey, whose API is the same. By
 * `callBuffer` it is told from clients of other kinds.
 */
export interface IoredisClient {
  readonly status: string;
  connect(): Promise<unknown>;
  callBuffer(command: string, args: (string | Buffer)[]): Promise<unknown>;
  on(event: "ready" | "close" | "-node", listener: () => void): unknown;
}

/**
 * Methods that ioredis has and does not declare: they reply in bytes. The one that is declared, `callBuffer`, fails when
 * auto-pipelining is on.
 */
interface ByteReplies {
  evalshaBuffer(...words: (string | Buffer)[]): Promise<unknown>;
  evalBuffer(...words: (string | Buffer)[]): Promise<unknown>;
  createBuiltinCommand(name: string): { buffer(...words: (string | Buffer)[]): Promise<unknown> };
}

/** By the client's status; in any other it is ready, or on its way. */
const UNREADY: Readonly<Record<string, RedisReadiness>> = { wait: "idle", end: "closed" };

/** What a client or a cluster says when it neither sends nor keeps a command. */
const NEVER_SENT = /^(Stream isn't writeable|Cluster isn't ready) and enableOfflineQueue options is false/;

/** One for a client, however many stores are made on it: it listens to the client. */
const connections = new WeakMap<IoredisClient, RedisConnection>();

/**
 * A store on Redis or Valkey through an ioredis client, which may be shared with other work. The client stays the
 * caller's: it is never closed here, and connected only where it is lazy, by the first call.
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
  let connection = connections.get(client);
  if (connection === undefined) {
    connection = connectionOver(client);
    connections.set(client, connection);
  }
  return redisStore(connection, options);
}

function repliesInBytes(client: IoredisClient): client is IoredisClient & ByteReplies {
  if (typeof client !== "object" || client === null) return false;
  return ["evalshaBuffer", "evalBuffer", "on"].every(
    (method) => typeof Reflect.get(client, method) === "function",
  );
}

function connectionOver(client: IoredisClient & ByteReplies): RedisConnection {
  const listeners: (() => void)[] = [];
  const lost = (): void => {
    for (const listener of listeners) listener();
  };
  // what was under way would be sent again: by a client once it has reconnected, by a cluster on another node
  let wasReady = client.status === "ready";
  client.on("ready", () => {
    wasReady = true;
  });
  client.on("close", () => {
    // an attempt to connect that failed ends like this too, and has lost nothing
    if (wasReady) lost();
    wasReady = false;
  });
  client.on("-node", () => {
    // before that nothing is under way, and a node that is no part of the cluster is only left out
    if (client.status === "ready") lost();
  });
  const isCluster = Reflect.get(client, "isCluster") === true;
  return {
    isCluster,
    onConnectionLost: (listener) => void listeners.push(listener),
    readiness: () => (client.status === "ready" ? "ready" : (UNREADY[client.status] ?? "connecting")),
    connect: () => void client.connect().catch(() => {}),
    wasNeverSent: (error) => error instanceof Error && NEVER_SENT.test(error.message),
    send(command, args) {
      const words = args.map(sendable);
      const reply = command === "EVALSHA" ? client.evalshaBuffer(...words) : client.evalBuffer(...words);
      if (!isCluster) return reply;
      return reply.catch((error: unknown) => {
        if (!isAstray(error)) throw error;
        // a cluster that pipelines by itself leads no part of a pipeline on, and refuses one that a moved slot has torn
        // apart: nothing has run, and a command of its own finds its way
        return client.createBuiltinCommand(command.toLowerCase()).buffer.apply(client, words);
      });
    },
  };
}

function isAstray(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK) |^All keys in the pipeline /.test(error.message);
}

/** ioredis sends bytes as they are only when they come as a `Buffer`; this one shares them. */
function sendable(arg: string | Uint8Array): string | Buffer {
  return typeof arg === "string" ? arg : Buffer.from(arg.buffer, arg.byteOffset, arg.byteLength);
}
