import { connectResp, type RedisServer, type RespClient, startRedis } from "@sluice/redis-server";
import { afterAll } from "vitest";

/** A server for one test file and a connection to it; both end with the file. */
export async function useRedis(): Promise<{ redis: RedisServer; connection: RespClient }> {
  const redis = await startRedis();
  const connection = await connectResp(redis);
  afterAll(async () => {
    connection.close();
    await redis.stop();
  });
  return { redis, connection };
}
