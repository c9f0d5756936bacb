export {
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisSentinel,
  nodeRedisStore,
} from "./node-redis-store.js";
