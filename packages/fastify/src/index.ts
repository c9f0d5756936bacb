export {
  type AddressKeyOptions,
  type AnyDecision,
  addressKey,
  type ClientAddressOptions,
  clientAddress,
  decisionsOf,
  NoAddressError,
} from "@sluice/http";
export { type RateLimitHook, rateLimit } from "./rate-limit.js";
export type {
  CompositeRateLimitOptions,
  HookRateLimitOptions,
  PartialRateLimitOptions,
  RateLimitOptions,
} from "./rate-limit-options.js";
