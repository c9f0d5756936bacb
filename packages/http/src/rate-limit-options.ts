import { type ByName, type CompositeLimiter, InvalidPolicyError, type Key, type Limiter } from "@sluice/core";
import type { AnyDecision } from "./any-decision.js";
import { checkKnown, oneOf, shown } from "./checks.js";
import { checkedBody, type ProblemBodyOptions } from "./problem.js";
import { checkedFormat, type HeadersFormat } from "./rate-limit-headers.js";

/** Said once, or of each request; `Rest` is what the handler is given beside it. */
export type Told<Value, Rest extends readonly unknown[]> =
  | Value
  | ((request: Request, ...rest: Rest) => Value | Promise<Value>);

/** Options of {@link rateLimit} that are the same for one limit and for several. */
export interface CommonRateLimitOptions<Rest extends readonly unknown[]> extends ProblemBodyOptions {
  /** Which requests are not limited, and get no headers; default: none. */
  skip?: ((request: Request, ...rest: Rest) => boolean | Promise<boolean>) | undefined;
  /** Whether `OPTIONS` requests, which browsers send ahead of others, are limited; default `"skip"`. */
  preflight?: "skip" | "limit" | undefined;
  /** Answers in place of the refusal, with less, say. The headers are added to what it returns. */
  onLimited?:
    | ((request: Request, decision: AnyDecision, ...rest: Rest) => Response | Promise<Response>)
    | undefined;
  /**
   * What to do where the limiter throws since its store failed: `"throw"` (default) rejects with that error, `"allow"` runs the
   * handler, `"deny"` answers 503.
   */
  onStoreFailure?: "throw" | "allow" | "deny" | undefined;
  /** How the headers are written; default `"draft-11"`; `false`: only `Retry-After`. */
  headers?: HeadersFormat | false | undefined;
  /** After which status of the handler's response the units are given back. A handler that throws counts as 500. */
  refundWhen?: ((status: number) => boolean) | undefined;
}

/** Whom requests count against, and for how much. */
export interface ToldOptions<AnyKey, Units, Rest extends readonly unknown[]> {
  key: Told<AnyKey, Rest>;
  /** Units that a request takes; whole, from 0, default 1. */
  cost?: Told<Units, Rest> | undefined;
  /** Units that a request must leave behind for privileged ones; whole, from 0, default 0. */
  reserve?: Told<Units, Rest> | undefined;
}

/** Options for one limit. */
export interface RateLimitOptions<Rest extends readonly unknown[] = readonly unknown[]>
  extends CommonRateLimitOptions<Rest>,
    ToldOptions<Key, number, Rest> {
  limiter: Pick<Limiter, "name" | "consume" | "refund">;
}

/** Options for several limits: key, cost and reserve are one for all of them, or one for each by name. */
export interface CompositeRateLimitOptions<
  Name extends string,
  Rest extends readonly unknown[] = readonly unknown[],
> extends CommonRateLimitOptions<Rest>,
    ToldOptions<Key | ByName<Name, Key>, number | ByName<Name, number>, Rest> {
  limiter: Pick<CompositeLimiter<Name>, "name" | "policies" | "consume" | "refund">;
}

const KNOWN_OPTIONS: readonly string[] = [
  "limiter",
  "key",
  "cost",
  "reserve",
  "skip",
  "preflight",
  "onLimited",
  "onStoreFailure",
  "headers",
  "refundWhen",
  "body",
  "contentType",
] satisfies (keyof RateLimitOptions)[];

/** The options of {@link CommonRateLimitOptions} as they are meant. */
export interface ReadOptions {
  readonly preflight: "skip" | "limit";
  readonly onStoreFailure: "throw" | "allow" | "deny";
  readonly headers: HeadersFormat | false;
  readonly body: ProblemBodyOptions;
}

/** @throws InvalidPolicyError */
export function readOptions<Rest extends readonly unknown[]>(
  options: CommonRateLimitOptions<Rest> & { limiter: unknown; key: unknown },
): ReadOptions {
  checkKnown("rateLimit", options, KNOWN_OPTIONS);
  const { limiter, key, preflight = "skip", onStoreFailure = "throw", headers } = options;
  if (!isLimiter(limiter)) {
    throw new InvalidPolicyError(
      `rateLimit: limiter must be a limiter or a composite, got ${shown(limiter)}`,
    );
  }
  if (key === undefined) throw new InvalidPolicyError("rateLimit: the option key is missing");
  for (const option of ["skip", "onLimited", "refundWhen"] as const) {
    const value: unknown = options[option];
    if (value !== undefined && typeof value !== "function") {
      throw new InvalidPolicyError(`rateLimit: ${option} must be a function, got ${shown(value)}`);
    }
  }
  return {
    preflight: oneOf("rateLimit: preflight", preflight, ["skip", "limit"]),
    onStoreFailure: oneOf("rateLimit: onStoreFailure", onStoreFailure, ["throw", "allow", "deny"]),
    headers: headers === false ? false : checkedFormat("rateLimit: headers", headers),
    body: checkedBody("rateLimit", options),
  };
}

function isLimiter(limiter: unknown): boolean {
  if (typeof limiter !== "object" || limiter === null) return false;
  return "consume" in limiter && typeof limiter.consume === "function" && "refund" in limiter;
}
