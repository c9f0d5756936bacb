import {
  type Algorithm,
  compileLevel,
  defineAlgorithm,
  type Grants,
  type LevelParams,
  type LevelState,
  type LimiterFactory,
  levelKernel,
  type Rate,
} from "@sluice/core/algorithm";

/** The options of a token bucket. */
export interface TokenBucketOptions {
  /** How many tokens a full bucket holds: the largest burst. Whole, at least 0; 0 denies everything. */
  capacity: number;
  /** How tokens come back: one at a time, each `every / tokens`. */
  refill: Rate;
}

/** The token bucket as `defineAlgorithm` takes it. */
export const algorithm: Algorithm<TokenBucketOptions, LevelParams, LevelState> & { readonly grants: true } = {
  ...levelKernel({ id: "token-bucket", tag: "bucket", version: 1, rateName: "refill" }),
  grants: true,
  options: ["capacity", "refill"],
  compile: ({ capacity, refill }, checks) =>
    compileLevel({ capacity, rateName: "refill", rate: refill }, checks),
};

/**
 * A token bucket: a burst of up to `capacity` at once, refilled at a steady pace, one token every
 * `refill.every / refill.tokens`. In any interval of t it grants at most `capacity + t * tokens / every`.
 *
 * Exact: all arithmetic is in whole units of which a whole number comes back in a millisecond, so 10 tokens every 13 s
 * at capacity 1 promise a retry after 1300 ms and keep it to the millisecond.
 *
 * Source: J. Turner, "New directions in communications (or which way to the information age?)", IEEE Communications
 * Magazine 24 (10), 1986; greedy refill as in RFC 2697, section 3.
 *
 * @example
 * ```ts
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const limiter = tokenBucket({ name: "api", capacity: 20, refill: { tokens: 5, every: "1s" } });
 * const decision = await limiter.consume("user:42");
 * console.log(decision.allowed, decision.remaining); // true 19
 * ```
 * @throws InvalidPolicyError when made with options that it cannot keep exactly
 */
export const tokenBucket: LimiterFactory<TokenBucketOptions, Grants> =
  /* @__PURE__ */ defineAlgorithm(algorithm);
