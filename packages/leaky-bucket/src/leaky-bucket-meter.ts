import {
  type Algorithm,
  compileLevel,
  defineAlgorithm,
  type LevelParams,
  type LevelState,
  type LimiterFactory,
  levelKernel,
  type Rate,
} from "@sluice/core/algorithm";

/** The options of a leaky bucket as a meter. */
export interface LeakyBucketMeterOptions {
  /** How high the level may rise: the largest burst. Whole, at least 0; 0 denies everything. */
  capacity: number;
  /** How fast the level falls: a unit each `every / tokens`. */
  leak: Rate;
}

/** The leaky bucket as a meter, as `defineAlgorithm` takes it. */
export const algorithm: Algorithm<LeakyBucketMeterOptions, LevelParams, LevelState> = {
  ...levelKernel({ id: "leaky-bucket-meter", tag: "meter", version: 1, rateName: "leak" }),
  options: ["capacity", "leak"],
  compile: ({ capacity, leak }, checks) => compileLevel({ capacity, rateName: "leak", rate: leak }, checks),
};

/**
 * A leaky bucket as a meter: it polices. A call of cost c is allowed while `level + c <= capacity`, and the level
 * falls at the rate. It is the generic cell rate algorithm (GCRA), and the twin of the token bucket: what one has
 * left is what the other can still take.
 *
 * Source: ITU-T Recommendation I.371, annex A: the continuous-state leaky bucket form of the GCRA.
 *
 * @example
 * ```ts
 * import { leakyBucketMeter } from "@sluice/leaky-bucket";
 *
 * const limiter = leakyBucketMeter({ name: "search", capacity: 10, leak: { tokens: 2, every: "1s" } });
 * const decision = await limiter.consume("user:42");
 * console.log(decision.allowed, decision.remaining); // true 9
 * ```
 * @throws InvalidPolicyError when made with options that it cannot keep exactly
 */
export const leakyBucketMeter: LimiterFactory<LeakyBucketMeterOptions> =
  /* @__PURE__ */ defineAlgorithm(algorithm);
