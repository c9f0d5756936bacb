export { type AddressKeyOptions, addressKey } from "./address-key.js";
export type { ClientAddressOptions } from "./address-options.js";
export type { AddressSocket, AddressSource, AnyHeaders } from "./address-source.js";
export type { AnyDecision } from "./any-decision.js";
export { clientAddress } from "./client-address.js";
export { NoAddressError } from "./no-address-error.js";
export { type ProblemBodyOptions, type ProblemOptions, problem } from "./problem.js";
export type { ProblemDetails } from "./problem-details.js";
export { type LimitHandler, rateLimit } from "./rate-limit.js";
export { type HeadersFormat, type RateLimitHeadersOptions, rateLimitHeaders } from "./rate-limit-headers.js";
export type {
  CommonRateLimitOptions,
  CompositeRateLimitOptions,
  RateLimitOptions,
  Told,
  ToldOptions,
} from "./rate-limit-options.js";
