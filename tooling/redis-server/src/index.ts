export { debugArgs } from "./debug-args.ts";
export { findServer } from "./find-server.ts";
export { howToInstall, installServer } from "./install-server.ts";
export type { RedisCluster } from "./redis-cluster.ts";
export type { RedisServer } from "./redis-server.ts";
export { RedisReplyError, type Reply, sendCommand } from "./resp.ts";
export { connectResp, type RawReply, type RespClient } from "./resp-client.ts";
export type { RedisSentinelGroup } from "./sentinel-group.ts";
export { type StartClusterOptions, startCluster } from "./start-cluster.ts";
export { type StartRedisOptions, startRedis } from "./start-redis.ts";
export { type StartReplicaOptions, startReplica } from "./start-replica.ts";
export { type StartSentinelOptions, startSentinel } from "./start-sentinel.ts";
export {
  type StartTlsRedisOptions,
  startTlsRedis,
  supportsTls,
  type TlsRedisServer,
} from "./start-tls-redis.ts";
