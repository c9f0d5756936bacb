import { ioredisStore } from "@sluice/ioredis";
import { memoryStore, type Store } from "@sluice/token-bucket";
import { Redis } from "ioredis";

/** A store, and what it is, for the reader. */
export interface OpenStore {
  store: Store;
  description: string;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 3_000;

/**
 * A store in memory, or on the Redis server at `url`.
 *
 * @throws {Error} when the server cannot be reached
 */
export async function openStore(url: string | undefined): Promise<OpenStore> {
  if (url === undefined || url === "") {
    return {
      store: memoryStore(),
      description: "This ran in memory. On Redis: REDIS_URL=redis://127.0.0.1:6379 npm start",
      close: () => undefined,
    };
  }
  const client = await connect(url);
  return {
    store: ioredisStore(client),
    description: `This ran on Redis at ${place(client)}, as REDIS_URL says. Without REDIS_URL it runs in memory.`,
    close: () => client.disconnect(),
  };
}

/** Tries once and not for ever, so that a wrong address shows at once. */
async function connect(url: string): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  let reason = `no answer within ${CONNECT_TIMEOUT_MS} ms`;
  client.on("error", (error) => {
    reason = error.message;
  });
  const timer = setTimeout(() => client.disconnect(), CONNECT_TIMEOUT_MS);
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw new Error(`REDIS_URL: cannot reach Redis at ${place(client)}: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Where it is, without its password. */
function place({ options }: Redis): string {
  return options.path ?? `${options.host}:${options.port}`;
}
