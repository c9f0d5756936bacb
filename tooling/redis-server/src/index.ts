export { findServer } from "./find-server.ts";
export { howToInstall, installServer } from "./install-server.ts";
export { RedisReplyError, type Reply, sendCommand } from "./resp.ts";
export { connectResp, type RawReply, type RespClient } from "./resp-client.ts";
export { type RedisServer, type StartRedisOptions, startRedis } from "./start-redis.ts";
