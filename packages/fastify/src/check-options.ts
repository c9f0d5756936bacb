import { InvalidPolicyError } from "@sluice/core";
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
  check(whose, options, Object.keys(KNOWN_OPTIONS));
}

/** Options of `app.rateLimit`. @throws InvalidPolicyError */
export function checkHookOptions(options: unknown): void {
  if (typeof options === "object" && options !== null && "hook" in options) {
    throw new InvalidPolicyError("app.rateLimit: the option hook has no meaning for what is a hook already");
  }
  const { hook: _, ...known } = KNOWN_OPTIONS;
  check("app.rateLimit", options, Object.keys(known));
}

function check(whose: string, options: unknown, known: readonly string[]): void {
  const expected = `${whose}: options must be { ${known.join(", ")} }`;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InvalidPolicyError(`${expected}, got ${shown(options)}`);
  }
  const stranger = Object.keys(options).find((option) => !known.includes(option));
  if (stranger !== undefined) {
    throw new InvalidPolicyError(`${expected}, got the unknown option ${shown(stranger)}`);
  }
}

/** A value as it should stand in an error message. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
