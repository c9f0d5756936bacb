import { InvalidPolicyError } from "@sluice/core";
import { checkKnown } from "@sluice/http";
import type { RateLimitOptions } from "./rate-limit-options.js";

/** Those of the gate, which refuses what it does not know, and Fastify's own. */
const KNOWN_OPTIONS = {
  limiter: true,
  key: true,
  cost: true,
  reserve: true,
  skip: true,
  preflight: true,
  onStoreFailure: true,
  headers: true,
  refundWhen: true,
  body: true,
  contentType: true,
  onLimited: true,
  hook: true,
} satisfies Record<keyof RateLimitOptions, true>;

/** Options of a registration or of a route. @throws InvalidPolicyError for what is none, and for unknown ones */
export function checkOptions(whose: string, options: unknown): void {
  checkKnown(whose, options, Object.keys(KNOWN_OPTIONS));
}

/** Options of `app.rateLimit`. @throws InvalidPolicyError */
export function checkHookOptions(options: unknown): void {
  if (typeof options === "object" && options !== null && "hook" in options) {
    throw new InvalidPolicyError("app.rateLimit: the option hook has no meaning for what is a hook already");
  }
  const { hook: _, ...known } = KNOWN_OPTIONS;
  checkKnown("app.rateLimit", options, Object.keys(known));
}
