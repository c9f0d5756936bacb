import type { ExecutionContext, Type } from "@nestjs/common";
import type { RateLimitOptions } from "./rate-limit-options.js";

/** A method of a controller. */
export type Handler = ReturnType<ExecutionContext["getHandler"]>;

// texts, since two copies of this package may be loaded
export const RATE_LIMIT = "sluice:rate-limit";
export const SKIP_RATE_LIMIT = "sluice:skip-rate-limit";

/** What `@RateLimit` says right here. */
export function limitSaidOn(target: Type | Handler): RateLimitOptions | undefined {
  return own<RateLimitOptions>(RATE_LIMIT, target);
}

/** What `@RateLimit` says of a route: on the base classes of its class, on that class, and on the method, in that order. */
export function limitsSaidOf(controller: Type, handler: Handler): RateLimitOptions[] {
  return [handler, ...lineage(controller)]
    .map(limitSaidOn)
    .filter((said) => said !== undefined)
    .reverse();
}

/** Whether a route is to be left alone. What is said nearest to it counts: on the method, its class, and the base classes. */
export function isSkipped(controller: Type, handler: Handler): boolean {
  for (const target of [handler, ...lineage(controller)]) {
    const skips = own<boolean>(SKIP_RATE_LIMIT, target);
    if (skips !== undefined) return skips;
    if (limitSaidOn(target) !== undefined) return false;
  }
  return false;
}

/** Whether a method answers an HTTP route. */
export function isRoute(handler: Handler): boolean {
  return own<unknown>("path", handler) !== undefined;
}

/** What `@UseGuards` says of a route. Nest hands it down to classes that extend another. */
export function guardsOf(controller: Type, handler: Handler): unknown[] {
  return [controller, handler].flatMap((target): unknown => Reflect.getMetadata("__guards__", target) ?? []);
}

function own<Value>(name: string, target: Type | Handler): Value | undefined {
  return Reflect.getOwnMetadata(name, target);
}

/** A class, and those that it extends. */
function lineage(declared: Type): Handler[] {
  const classes: Handler[] = [];
  for (let at: unknown = declared; isClass(at); at = Object.getPrototypeOf(at)) classes.push(at);
  return classes;
}

function isClass(value: unknown): value is Handler {
  return typeof value === "function" && value !== Function.prototype;
}
