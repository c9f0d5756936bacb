import { Redis } from "ioredis";
import { createClient } from "redis";
import type { NodeRedis } from "./case.ts";

/** One client of each kind, both connected to the same server. */
export interface Clients {
  readonly client: Redis;
  readonly nodeRedis: NodeRedis;
  close(): void;
}

export async function connectClients(url: string): Promise<Clients> {
  const client = new Redis(url);
  const nodeRedis: NodeRedis = createClient({ url });
  // a connection that is lost shows in the calls that fail
  nodeRedis.on("error", () => {});
  await nodeRedis.connect();
  return {
    client,
    nodeRedis,
    close: () => {
      client.disconnect();
      nodeRedis.destroy();
    },
  };
}
