export { type AddressKeyOptions, addressKey } from "./address-key.js";
export type { ClientAddressOptions } from "./address-options.js";
export type { AddressSocket, AddressSource, AnyHeaders } from "./address-source.js";
export type { AnyDecision } from "./any-decision.js";
export { asError } from "./as-error.js";
export { checkKnown, shown } from "./checks.js";
export { clientAddress } from "./client-address.js";
export { decisionsOf } from "./decisions-of.js";
export { addFields, type Field, type HeaderSink, headerSink } from "./field.js";
export { type Admitted, createGate, type Gate, type Refused, type Unlimited, type Verdict } from "./gate.js";
export { NoAddressError } from "./no-address-error.js";
export { type ProblemBodyOptions, type ProblemOptions, problem, responseOf } from "./problem.js";
export type { ProblemDetails } from "./problem-details.js";
export {
  type CompositeRateLimitOptions,
  type LimitHandler,
  type RateLimitOptions,
  rateLimit,
} from "./rate-limit.js";
export { type HeadersFormat, type RateLimitHeadersOptions, rateLimitHeaders } from "./rate-limit-headers.js";
export type {
  CommonGateOptions,
  CompositeGateOptions,
  GateOptions,
  Told,
  ToldOptions,
} from "./rate-limit-options.js";
export type { Refusal } from "./refusal.js";
export { withFields } from "./with-fields.js";
