import { connectResp, type RedisServer, type RespClient, startRedis } from "@sluice/redis-server";
import { afterAll } from "vitest";

/** A server for one test file, and two connections to it: those of two processes, as it were. */
export interface Server {
  readonly redis: RedisServer;
  readonly connection: RespClient;
  readonly otherConnection: RespClient;
}

/** Starts a server that ends with the test file. */
export async function useServer(): Promise<Server> {
  const redis = await startRedis();
  const connection = await connectResp(redis);
  const otherConnection = await connectResp(redis);
  afterAll(async () => {
    connection.close();
    otherConnection.close();
    await redis.stop();
  });
  return { redis, connection, otherConnection };
}
