import { InvalidPolicyError } from "@sluice/core";
import { shown } from "@sluice/http";
import { checkOptions } from "./check-options.js";
import { checkIncomplete, createLimit, type Limit, type MergedOptions } from "./limit.js";
import type { PartialRateLimitOptions } from "./rate-limit-options.js";

/** A registration: what it limits by default, and limits of routes that say something of their own. */
export interface Scope {
  /** Undefined where it was registered with no limiter. */
  readonly limit: Limit | undefined;
  /** A limit of these options over those of the registration; the same one for the same object. */
  own(options: PartialRateLimitOptions): Limit;
}

/** @throws InvalidPolicyError for wrong options, which `own` throws as well */
export function createScope(options: MergedOptions): Scope {
  checkOptions("rateLimit", options);
  const owns = new WeakMap<object, Limit>();
  if (options.limiter === undefined) checkIncomplete(options);
  return {
    limit: options.limiter === undefined ? undefined : createLimit(options),
    own(own) {
      const present = isOptions(own) ? owns.get(own) : refuse(own);
      if (present !== undefined) return present;
      checkOptions("rateLimit of a route", own);
      const limit = createLimit({ ...options, ...own });
      owns.set(own, limit);
      return limit;
    },
  };
}

function isOptions(own: unknown): boolean {
  return typeof own === "object" && own !== null && !Array.isArray(own);
}

function refuse(own: unknown): never {
  throw new InvalidPolicyError(`rateLimit of a route must be false or options, got ${shown(own)}`);
}

/** The last registration in each instance of Fastify. */
const scopes = new WeakMap<object, Scope>();

export function setScope(instance: object, scope: Scope): void {
  scopes.set(instance, scope);
}

/** The registration in an instance or, where there is none, in the nearest one around it. */
export function nearestScope(instance: object): Scope | undefined {
  // an encapsulated instance has the one around it as its prototype
  for (let at: object | null = instance; at !== null; at = Object.getPrototypeOf(at)) {
    const scope = scopes.get(at);
    if (scope !== undefined) return scope;
  }
  return undefined;
}
