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
export { type SlidingWindowCounterOptions, slidingWindowCounter } from "./sliding-window-counter.js";
export { type SlidingWindowLogOptions, slidingWindowLog } from "./sliding-window-log.js";
