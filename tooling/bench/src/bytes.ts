import { startRedis } from "@sluice/redis-server";
import { casesFor } from "./cases.ts";
import { connectClients } from "./clients.ts";

export interface Bytes {
  case: string;
  bytesPerKey: number;
  /** The key as it stands in Redis. */
  key: string;
}

/** The limits are called `b`, and the user's key has 8 bytes. */
const KEYS = ["user:042"];

/** What one key takes in Redis, by `MEMORY USAGE`. */
export async function measureBytes(): Promise<Bytes[]> {
  await using redis = await startRedis();
  const clients = await connectClients(redis.url);
  const { client } = clients;
  try {
    const results: Bytes[] = [];
    for (const subject of casesFor("bytes")) {
      await client.flushall();
      await subject.prepare({ ...clients, keys: KEYS, calls: 0 });
      const keys = await client.keys("*");
      const bytes = await Promise.all(keys.map((key) => client.memory("USAGE", key)));
      results.push({
        case: subject.name,
        bytesPerKey: bytes.reduce<number>((sum, one) => sum + (one ?? 0), 0),
        key: keys.join(" "),
      });
    }
    return results;
  } finally {
    clients.close();
  }
}
