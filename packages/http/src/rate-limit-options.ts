import { type ByName, type CompositeLimiter, InvalidPolicyError, type Key, type Limiter } from "@sluice/core";
import { checkKnown, oneOf, shown } from "./checks.js";
import { checkedBody, type ProblemBodyOptions } from "./problem.js";
import { checkedFormat, type HeadersFormat } from "./rate-limit-headers.js";
import { checkStatic } from "./static-options.js";

/** Said once, or of each request. `Args` are what functions are given in a framework: a request first, and perhaps more. */
export type Told<Value, Args extends readonly unknown[]> =
  | Value
  | ((...args: Args) => Value | Promise<Value>);

/** What can be said about limited requests in every framework alike, for one limit and for several. */
export interface CommonGateOptions<Args extends readonly unknown[]> extends ProblemBodyOptions {
  /** Which requests are not limited, and get no headers; default: none. */
  skip?: ((...args: Args) => boolean | Promise<boolean>) | undefined;
  /** Whether `OPTIONS` requests, which browsers send ahead of others, are limited; default `"skip"`. */
  preflight?: "skip" | "limit" | undefined;
  /**
   * What to do where the limiter throws since its store failed: `"throw"` (default) passes that error on, `"allow"` runs the
   * handler, `"deny"` answers 503.
   */
  onStoreFailure?: "throw" | "allow" | "deny" | undefined;
  /** How the headers are written; default `"draft-11"`; `false`: only `Retry-After`. */
  headers?: HeadersFormat | false | undefined;
  /** After which status of the response the units are given back, such as `(status) => status < 400`; default: none. */
  refundWhen?: ((status: number) => boolean) | undefined;
}

/** Whom requests count against, and for how much. */
export interface ToldOptions<AnyKey, Units, Args extends readonly unknown[]> {
  key: Told<AnyKey, Args>;
  /** Units that a request takes; whole, from 0, default 1. */
  cost?: Told<Units, Args> | undefined;
  /** Units that a request must leave behind for privileged ones; whole, from 0, default 0. */
  reserve?: Told<Units, Args> | undefined;
}

/** Options for one limit. */
export interface GateOptions<Args extends readonly unknown[]>
  extends CommonGateOptions<Args>,
    ToldOptions<Key, number, Args> {
  /** The limiter or, where a plan decides, which one. Those of one name share what is used. */
  limiter: Told<Pick<Limiter, "name" | "consume" | "refund">, Args>;
}

/** Options for several limits: key, cost and reserve are one for all of them, or one for each by name. */
export interface CompositeGateOptions<Name extends string, Args extends readonly unknown[]>
  extends CommonGateOptions<Args>,
    ToldOptions<Key | ByName<Name, Key>, number | ByName<Name, number>, Args> {
  /** The composite or, where a plan decides, which one. */
  limiter: Told<Pick<CompositeLimiter<Name>, "name" | "policies" | "consume" | "refund">, Args>;
}

const KNOWN_OPTIONS: readonly string[] = [
  "limiter",
  "key",
  "cost",
  "reserve",
  "skip",
  "preflight",
  "onStoreFailure",
  "headers",
  "refundWhen",
  "body",
  "contentType",
] satisfies (keyof GateOptions<[]>)[];

/** The options of {@link CommonGateOptions} as they are meant. */
export interface ReadOptions {
  readonly preflight: "skip" | "limit";
  readonly onStoreFailure: "throw" | "allow" | "deny";
  readonly headers: HeadersFormat | false;
  readonly body: ProblemBodyOptions;
}

/** @throws InvalidPolicyError */
export function readOptions<Args extends readonly unknown[]>(
  options: CommonGateOptions<Args> & {
    limiter: unknown;
    key: unknown;
    cost?: unknown;
    reserve?: unknown;
    onLimited?: unknown;
  },
): ReadOptions {
  checkKnown("rateLimit", options, [...KNOWN_OPTIONS, "onLimited"]);
  const { limiter, key, preflight = "skip", onStoreFailure = "throw", headers } = options;
  if (typeof limiter !== "function") checkedLimiter(limiter);
  if (key === undefined) throw new InvalidPolicyError("rateLimit: the option key is missing");
  checkStatic(options);
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

/** @throws InvalidPolicyError for what is no limiter */
export function checkedLimiter<Kind>(limiter: Kind): Kind {
  if (isLimiter(limiter)) return limiter;
  throw new InvalidPolicyError(
    `rateLimit: limiter must be a limiter, a composite or a function that returns one, got ${shown(limiter)}`,
  );
}

function isLimiter(limiter: unknown): boolean {
  if (typeof limiter !== "object" || limiter === null) return false;
  const { name, consume, refund }: { name?: unknown; consume?: unknown; refund?: unknown } = limiter;
  return typeof name === "string" && typeof consume === "function" && typeof refund === "function";
}
