import { applyDecorators, SetMetadata } from "@nestjs/common";
import { InvalidPolicyError } from "@sluice/core";
import type { HttpRequest } from "./http-request.js";
import { RATE_LIMIT } from "./metadata.js";
import type { RateLimitOptions } from "./rate-limit-options.js";

const decorated = new WeakSet<object>();

/**
 * Limits the routes of a class, or one of them. What is left out comes from the decorator of the class, and then from the
 * module: a limiter for one route, say, by the module's key.
 *
 * @example
 * ```ts
 * import { Controller, Get, Post } from "@nestjs/common";
 * import { RateLimit } from "@sluice/nestjs";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const exports = tokenBucket({ name: "exports", capacity: 10, refill: { tokens: 10, every: "1h" } });
 *
 * @Controller("exports")
 * @RateLimit({ limiter: exports })
 * class ExportsController {
 *   @Get()
 *   list(): string[] {
 *     return [];
 *   }
 *
 *   @Post()
 *   @RateLimit({ cost: 5 })
 *   start(): void {}
 * }
 * ```
 * @throws InvalidPolicyError where the same class or method has one already. Wrong options are refused when the application
 * starts.
 */
export function RateLimit<Request extends HttpRequest = HttpRequest, Name extends string = string>(
  options: RateLimitOptions<Request, Name>,
): ClassDecorator & MethodDecorator {
  // without options nothing might be limited
  if (typeof options !== "object" || options === null) {
    throw new InvalidPolicyError(`@RateLimit: options must be an object, got ${String(options)}`);
  }
  return applyDecorators(refuseSecond, SetMetadata(RATE_LIMIT, options));
}

// the metadata of one would silently replace that of the other
function refuseSecond(target: object, _name?: string | symbol, descriptor?: PropertyDescriptor): void {
  const marked: object = descriptor?.value ?? target;
  if (decorated.has(marked)) {
    throw new InvalidPolicyError(
      "@RateLimit stands twice in one place: compose the limiters, and say it once",
    );
  }
  decorated.add(marked);
}
