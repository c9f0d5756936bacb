export {
  type ConsumeOptions,
  type Decision,
  InvalidCostError,
  InvalidKeyError,
  InvalidPolicyError,
  type Key,
  type Limiter,
  type MemoryStoreOptions,
  memoryStore,
  type PeekOptions,
  type Policy,
  SluiceError,
  type Store,
  StoreError,
  StoreTimeoutError,
} from "@sluice/core";

export { type TokenBucketOptions, tokenBucket } from "./token-bucket.js";
