import { SetMetadata } from "@nestjs/common";
import { SKIP_RATE_LIMIT } from "./metadata.js";

/**
 * Leaves the routes of a class, or one of them, without limits and without headers.
 *
 * @param skips false takes back for a method what its class says. `@RateLimit` of a method does so, too.
 * @example
 * ```ts
 * import { Controller, Get } from "@nestjs/common";
 * import { SkipRateLimit } from "@sluice/nestjs";
 *
 * @Controller("health")
 * @SkipRateLimit()
 * class HealthController {
 *   @Get()
 *   check(): string {
 *     return "ok";
 *   }
 * }
 * ```
 */
export function SkipRateLimit(skips = true): ClassDecorator & MethodDecorator {
  return SetMetadata(SKIP_RATE_LIMIT, skips);
}
