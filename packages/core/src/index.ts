export type { Clock } from "./clock.js";
export type { Decision, DecisionReason, DecisionSource } from "./decision.js";
export type { Duration } from "./duration.js";
export {
  InvalidCostError,
  InvalidKeyError,
  InvalidPolicyError,
  SluiceError,
  type SluiceErrorCode,
  StoreError,
  type StoreErrorOptions,
  StoreTimeoutError,
} from "./errors.js";
export type { CommonOptions, ConsumeOptions, Key, Limiter, PeekOptions, Policy } from "./limiter.js";
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from "./memory-store.js";
export type { RedisCommand, RedisConnection } from "./redis-connection.js";
export { type RedisStoreOptions, redisStore } from "./redis-store.js";
export type { Store, StoreHealth } from "./store.js";
