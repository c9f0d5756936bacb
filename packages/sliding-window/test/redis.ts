import { connectResp, type RedisServer, type RespClient, startRedis } from "@sluice/redis-server";
import { afterAll, beforeEach } from "vitest";

/** A server for one test file and a connection to it. Each test finds it empty, and both end with the file. */
export async function useRedis(): Promise<{ redis: RedisServer; connection: RespClient }> {
  const redis = await startRedis();
  const connection = await connectResp(redis);
  beforeEach(async () => {
    await connection.send("FLUSHALL", []);
  });
  afterAll(async () => {
    connection.close();
    await redis.stop();
  });
  return { redis, connection };
}

/** What a key holds. */
export async function bytesOf(connection: RespClient, key: string): Promise<Buffer> {
  const bytes = await connection.send("GET", [key]);
  if (bytes instanceof Buffer) return bytes;
  throw new Error(`${key} holds no string`);
}
