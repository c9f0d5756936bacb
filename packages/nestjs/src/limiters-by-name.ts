import { InvalidPolicyError } from "@sluice/core";
import type { AnyLimiter, NamedLimiter, RateLimitModuleOptions } from "./rate-limit-options.js";

/**
 * The limiters that decorators can name: those of `limiters`, and the module's own.
 *
 * @throws InvalidPolicyError where two have one name
 */
export function limitersByName({
  limiter,
  limiters = [],
}: RateLimitModuleOptions): Map<string, NamedLimiter> {
  if (!Array.isArray(limiters) || !limiters.every(isLimiter)) refuse("limiters must be an array of limiters");
  const byName = new Map<string, NamedLimiter>();
  for (const one of isLimiter(limiter) ? [limiter, ...limiters] : limiters) {
    const other = byName.get(one.name);
    if (other !== undefined && other !== one) {
      refuse(`two limiters have the name ${JSON.stringify(one.name)}`);
    }
    byName.set(one.name, one);
  }
  return byName;
}

function isLimiter(value: string | AnyLimiter | undefined): value is NamedLimiter {
  return typeof value === "object" && value !== null;
}

function refuse(problem: string): never {
  throw new InvalidPolicyError(`RateLimitModule: ${problem}`);
}

/** The limiter that is meant. @throws InvalidPolicyError for a name that nobody gave to the module */
export function named(
  limiters: ReadonlyMap<string, AnyLimiter>,
  said: string | AnyLimiter | undefined,
): AnyLimiter | undefined {
  if (typeof said !== "string") return said;
  const found = limiters.get(said);
  if (found !== undefined) return found;
  const known = [...limiters.keys()].map((name) => JSON.stringify(name)).join(", ");
  return refuse(`there is no limiter with the name ${JSON.stringify(said)}, but ${known || "none at all"}`);
}
