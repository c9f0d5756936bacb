export {
  type ConsumeOptions,
  type Decision,
  InvalidCostError,
  InvalidKeyError,
  InvalidPolicyError,
  type Key,
  type KeyedLimits,
  type Limiter,
  type MemoryStoreOptions,
  memoryStore,
  type PeekOptions,
  type Policy,
  PolicyNotFoundError,
  type ResetOptions,
  SluiceError,
  type Store,
  StoreError,
  StoreTimeoutError,
} from "@sluice/core";
export { type LeakyBucketOptions, leakyBucket } from "./leaky-bucket.js";
export { type LeakyBucketMeterOptions, leakyBucketMeter } from "./leaky-bucket-meter.js";
