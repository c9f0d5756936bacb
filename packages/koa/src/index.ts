export {
  type AddressKeyOptions,
  type AnyDecision,
  addressKey,
  type ClientAddressOptions,
  clientAddress,
  decisionsOf,
  NoAddressError,
} from "@sluice/http";
export { rateLimit } from "./rate-limit.js";
export type { CompositeRateLimitOptions, RateLimitOptions } from "./rate-limit-options.js";
