export type { BreakerOptions } from "./breaker.js";
export type { ByName } from "./by-name.js";
export type { Clock } from "./clock.js";
export {
  type Composable,
  type ComposeOptions,
  type CompositeAcquireOptions,
  type CompositeDecision,
  type CompositeFailurePolicy,
  type CompositeLimiter,
  type CompositeOptions,
  compose,
  type NamesOf,
} from "./compose.js";
export type { CompositeFallback } from "./composite-fallback.js";
export type { Decision, DecisionReason, DecisionSource } from "./decision.js";
export type { DenyCacheOptions } from "./deny-cache.js";
export type { Duration } from "./duration.js";
export {
  CrossSlotError,
  InvalidCostError,
  InvalidKeyError,
  InvalidPolicyError,
  NeverAllowedError,
  PolicyNotFoundError,
  QueueFullError,
  SluiceError,
  type SluiceErrorCode,
  StoreError,
  type StoreErrorOptions,
  StoreTimeoutError,
  WaitTimeoutError,
} from "./errors.js";
export { fallbackShare } from "./fallback-share.js";
export { type Holder, holderOf } from "./holder.js";
export type { LeaseOptions } from "./lease-options.js";
export { leased } from "./leased.js";
export type { Leasable, LeasedLimiter } from "./leased-limiter.js";
export type {
  AcquireOptions,
  CommonOptions,
  ConsumeOptions,
  Fallback,
  Grants,
  Key,
  KeyedLimits,
  Limiter,
  LimiterEvent,
  PeekOptions,
  Policy,
  ResetOptions,
  StoreFailurePolicy,
} from "./limiter.js";
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from "./memory-store.js";
export type { PolicyFields } from "./policy-fields.js";
export type { RedisCommand, RedisConnection, RedisReadiness } from "./redis-connection.js";
export { type BatchOptions, type RedisStoreOptions, redisStore } from "./redis-store.js";
export { type RefundOption, schedule, type Waitable, type WaitableComposite } from "./schedule.js";
export type { Store, StoreHealth } from "./store.js";
export { type CompositeWrapOptions, type WrapOptions, wrap } from "./wrap.js";
