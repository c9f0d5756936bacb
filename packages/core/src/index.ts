export type { ByName } from "./by-name.js";
export type { Clock } from "./clock.js";
export {
  type Composable,
  type ComposeOptions,
  type CompositeDecision,
  type CompositeLimiter,
  type CompositeOptions,
  compose,
  type NamesOf,
} from "./compose.js";
export type { Decision, DecisionReason, DecisionSource } from "./decision.js";
export type { Duration } from "./duration.js";
export {
  CrossSlotError,
  InvalidCostError,
  InvalidKeyError,
  InvalidPolicyError,
  PolicyNotFoundError,
  SluiceError,
  type SluiceErrorCode,
  StoreError,
  type StoreErrorOptions,
  StoreTimeoutError,
} from "./errors.js";
export type {
  CommonOptions,
  ConsumeOptions,
  Grants,
  Key,
  KeyedLimits,
  Limiter,
  PeekOptions,
  Policy,
  ResetOptions,
} from "./limiter.js";
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from "./memory-store.js";
export type { PolicyFields } from "./policy-fields.js";
export type { RedisCommand, RedisConnection } from "./redis-connection.js";
export { type RedisStoreOptions, redisStore } from "./redis-store.js";
export type { Store, StoreHealth } from "./store.js";
