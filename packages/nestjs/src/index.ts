export {
  type AddressKeyOptions,
  type AnyDecision,
  addressKey,
  type ClientAddressOptions,
  clientAddress,
  decisionsOf,
  NoAddressError,
} from "@sluice/http";
export type { HttpRequest, HttpResponse } from "./http-request.js";
export type {
  GuardOptions,
  RateLimitModuleAsyncOptions,
  RateLimitOptionsFactory,
} from "./module-options.js";
export { RateLimit } from "./rate-limit.js";
export { RateLimitGuard } from "./rate-limit-guard.js";
export { RateLimitModule } from "./rate-limit-module.js";
export type {
  AnyLimiter,
  NamedLimiter,
  RateLimitModuleOptions,
  RateLimitOptions,
} from "./rate-limit-options.js";
export { RateLimitedException } from "./rate-limited-exception.js";
export { SkipRateLimit } from "./skip-rate-limit.js";
