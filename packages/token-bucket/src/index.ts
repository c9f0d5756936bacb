export {
  type ConsumeOptions,
  type Decision,
  type Grants,
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

export { type TokenBucketOptions, tokenBucket } from "./token-bucket.js";
