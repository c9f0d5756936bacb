import { type AnyDecision, asError, createGate } from "@sluice/http";
import { conclude } from "@sluice/http/node";
import type { RequestHandler } from "express";
import type { CompositeRateLimitOptions, RateLimitOptions } from "./rate-limit-options.js";

/**
 * Middleware that limits what comes after it: for `app.use`, a router, or one route. Every response to a limited request has
 * the headers of its limits. Where the request is denied, nothing after it runs; what fails goes to `next`, once.
 *
 * @example
 * ```ts
 * import { addressKey, clientAddress, rateLimit } from "@sluice/express";
 * import { tokenBucket } from "@sluice/token-bucket";
 * import express from "express";
 *
 * const limiter = tokenBucket({ name: "api", capacity: 100, refill: { tokens: 100, every: "1m" } });
 * const app = express();
 * app.use(rateLimit({ limiter, key: (request) => ["ip", addressKey(clientAddress(request))] }));
 * ```
 * @throws InvalidPolicyError for wrong options
 */
export function rateLimit<Name extends string>(
  options: RateLimitOptions | CompositeRateLimitOptions<Name>,
): RequestHandler;
// said once more for one limit alone, since the compiler explains the last overload
export function rateLimit(options: RateLimitOptions): RequestHandler;
export function rateLimit<Name extends string>(
  options: RateLimitOptions | CompositeRateLimitOptions<Name>,
): RequestHandler {
  const gate = createGate(options);
  const { onLimited } = options;
  return (request, response, next) => {
    const degrade = onLimited && ((decision: AnyDecision) => onLimited(request, response, next, decision));
    gate(request.method, request, response)
      .then((verdict) => conclude(response, verdict, degrade))
      .then(
        (runs) => {
          if (runs) next();
        },
        (thrown: unknown) => next(asError(thrown)),
      );
  };
}
