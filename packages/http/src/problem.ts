import { InvalidPolicyError } from "@sluice/core";
import { type AnyDecision, checkDecision } from "./any-decision.js";
import { checkKnown, oneOf, shown } from "./checks.js";
import { addFields, type Field } from "./field.js";
import { type ProblemDetails, problemDetails } from "./problem-details.js";
import { checkedFormat, fieldsOf, type HeadersFormat } from "./rate-limit-headers.js";
import { type Refusal, refusalOf } from "./refusal.js";

/** What is in the body of a refusal. */
export interface ProblemBodyOptions {
  /**
   * `"problem"` (default): the details as `application/problem+json`; `"text"`: their `detail` as plain text; or a function
   * that makes the text of the body of them.
   */
  body?: "problem" | "text" | ((details: ProblemDetails) => string) | undefined;
  /** The type of what the function makes; default `"application/json"`. */
  contentType?: string | undefined;
}

/** Options of {@link problem}. */
export interface ProblemOptions extends ProblemBodyOptions {
  /** How the headers are written; default `"draft-11"`; `false`: only `Retry-After`. */
  headers?: HeadersFormat | false | undefined;
}

/**
 * The response to a request that was denied: 429 or, where the store failed and its policy denies, 503, with the headers of
 * {@link rateLimitHeaders}. It must not be stored by a cache (RFC 6585), and says so.
 *
 * @example
 * ```ts
 * import { problem } from "@sluice/http";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const limiter = tokenBucket({ name: "burst", capacity: 1, refill: { tokens: 1, every: "1m" } });
 * await limiter.consume("user:42");
 * const response = problem(await limiter.consume("user:42"));
 * console.log(response.status, response.headers.get("retry-after")); // 429 60
 * console.log((await response.json())["violated-policies"]); // [ 'burst' ]
 * ```
 * @throws InvalidPolicyError for wrong options, and for a decision that allows
 */
export function problem(decision: AnyDecision, options: ProblemOptions = {}): Response {
  checkDecision("problem", decision);
  checkKnown("problem", options, ["body", "contentType", "headers"]);
  if (decision.allowed) {
    throw new InvalidPolicyError(
      `problem: a denial was expected, and ${shown(decision.name)} allows the call`,
    );
  }
  const headers = options.headers === false ? false : checkedFormat("problem: headers", options.headers);
  const refusal = refusalOf(problemDetails(decision), checkedBody("problem", options));
  return responseOf(refusal, fieldsOf(decision, headers));
}

/** The web's response that refuses. */
export function responseOf({ status, headers, body }: Refusal, fields: readonly Field[]): Response {
  const own = new Headers();
  addFields(own, [...headers, ...fields]);
  return new Response(body, { status, headers: own });
}

/** @throws InvalidPolicyError */
export function checkedBody(whose: string, { body, contentType }: ProblemBodyOptions): ProblemBodyOptions {
  if (contentType !== undefined && (typeof body !== "function" || !isHeaderText(contentType))) {
    throw new InvalidPolicyError(
      `${whose}: contentType must be a text that says what the function body makes, got ${shown(contentType)}`,
    );
  }
  if (typeof body === "function") return { body, contentType };
  return { body: oneOf<"problem" | "text">(`${whose}: body`, body ?? "problem", ["problem", "text"]) };
}

function isHeaderText(value: unknown): boolean {
  return typeof value === "string" && /^[\t\x20-\x7e]*\S[\t\x20-\x7e]*$/.test(value);
}
