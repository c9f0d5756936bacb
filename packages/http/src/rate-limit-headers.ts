import { type AnyDecision, checkDecision } from "./any-decision.js";
import { checkKnown, oneOf } from "./checks.js";
import { draft6 } from "./draft-6.js";
import { draft11 } from "./draft-11.js";
import { addFields, type Field } from "./field.js";
import { legacy } from "./legacy.js";
import { retryAfter } from "./retry-after.js";

/**
 * How the headers are written: as the draft of the IETF has them, as its sixth revision had them, or as everybody had them
 * before.
 */
export type HeadersFormat = "draft-11" | "draft-6" | "legacy";

/** Options of {@link rateLimitHeaders}. */
export interface RateLimitHeadersOptions {
  /** Default `"draft-11"`. */
  format?: HeadersFormat | undefined;
}

const FORMATS: Readonly<Record<HeadersFormat, (decision: AnyDecision) => Field[]>> = {
  "draft-11": draft11,
  "draft-6": draft6,
  legacy,
};

/**
 * The headers that tell a client of its limits, and `Retry-After` where it was denied. All times are whole seconds,
 * rounded up.
 *
 * @param decision of one limit, or of several that decided together
 * @example
 * ```ts
 * import { rateLimitHeaders } from "@sluice/http";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const limiter = tokenBucket({ name: "burst", capacity: 100, refill: { tokens: 100, every: "60s" } });
 * const headers = rateLimitHeaders(await limiter.consume("user:42", { cost: 50 }));
 * console.log(headers.get("RateLimit-Policy")); // "burst";q=100;w=60
 * console.log(headers.get("RateLimit")); // "burst";r=50;t=30
 * ```
 * @throws InvalidPolicyError for an unknown option or format
 */
export function rateLimitHeaders(decision: AnyDecision, options: RateLimitHeadersOptions = {}): Headers {
  checkDecision("rateLimitHeaders", decision);
  checkKnown("rateLimitHeaders", options, ["format"]);
  const format = checkedFormat("rateLimitHeaders: format", options.format);
  const headers = new Headers();
  addFields(headers, fieldsOf(decision, format));
  return headers;
}

/** All fields of a decision; with no format only `Retry-After`. */
export function fieldsOf(decision: AnyDecision, format: HeadersFormat | false): Field[] {
  return [...(format === false ? [] : FORMATS[format](decision)), ...retryAfter(decision)];
}

/** @throws InvalidPolicyError */
export function checkedFormat(whose: string, format: unknown): HeadersFormat {
  return oneOf(whose, format ?? "draft-11", ["draft-11", "draft-6", "legacy"]);
}
