import type { ExecutionContext, Type } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import type { RateLimitOptions } from "./rate-limit-options.js";

/** A method of a controller. */
export type Handler = ReturnType<ExecutionContext["getHandler"]>;

// texts, since two copies of this package may be loaded
export const RATE_LIMIT = "sluice:rate-limit";
export const SKIP_RATE_LIMIT = "sluice:skip-rate-limit";

const reflector: Reflector = new Reflector();

/** What `@RateLimit` says right here. */
export function limitSaidOn(target: Type | Handler): RateLimitOptions | undefined {
  return reflector.get<RateLimitOptions | undefined>(RATE_LIMIT, target);
}

/** Whether a route is to be left alone. What is said nearest to it counts. */
export function isSkipped(controller: Type, handler: Handler): boolean {
  const own = reflector.get<boolean | undefined>(SKIP_RATE_LIMIT, handler);
  if (own !== undefined) return own;
  if (limitSaidOn(handler) !== undefined) return false;
  return reflector.get<boolean | undefined>(SKIP_RATE_LIMIT, controller) ?? false;
}

/** Whether a method answers an HTTP route. */
export function isRoute(handler: Handler): boolean {
  return reflector.get<unknown>("path", handler) !== undefined;
}
