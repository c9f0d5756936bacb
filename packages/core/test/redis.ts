import {
  connectResp,
  RedisReplyError,
  type RedisServer,
  type RespClient,
  startRedis,
} from "@sluice/redis-server";
import { afterAll, beforeEach } from "vitest";

export { connectResp, RedisReplyError, startRedis };

/** A server for one test file and a connection to it. Each test finds it empty, and both end with the file. */
export async function useRedis(): Promise<{ redis: RedisServer; connection: RespClient }> {
  const redis = await startRedis();
  const connection = await connectResp(redis);
  beforeEach(async () => {
    await redis.command("FLUSHALL");
  });
  afterAll(async () => {
    connection.close();
    await redis.stop();
  });
  return { redis, connection };
}
