export { holdOpen } from "./node-hold.js";
export {
  type CompositeRateLimitOptions,
  type LimitListener,
  type RateLimitOptions,
  rateLimit,
} from "./node-rate-limit.js";
export { admit, announce, atHead, conclude, type Head, refuse } from "./node-response.js";
