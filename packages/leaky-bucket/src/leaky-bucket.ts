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

/** The options of a leaky bucket as a queue. */
export interface LeakyBucketOptions {
  /** How fast the queue moves: a slot each `every / tokens`. */
  leak: Rate;
  /** How many units may wait beyond the one that passes at once. Whole, at least 0; 0 is pure pacing. */
  capacity: number;
}

/** The leaky bucket as a queue, as `defineAlgorithm` takes it. */
export const algorithm: Algorithm<LeakyBucketOptions, LevelParams, LevelState> = {
  ...levelKernel({ id: "leaky-bucket", tag: "queue", version: 1, rateName: "leak", queue: true }),
  options: ["capacity", "leak"],
  compile: ({ capacity, leak }, checks) =>
    compileLevel({ capacity, rateName: "leak", rate: leak, beyond: 1 }, checks),
};

/**
 * A leaky bucket as a queue: it shapes. Each unit gets a slot; the slots of a key lie `every / tokens` apart, exactly
 * on the long run where that is no whole number of milliseconds. `consume` answers at once: allowed, with `delayMs`
 * to hold the work until its slot (0 when idle), or denied when more than `capacity` units would be waiting. The
 * policy's `limit` is `capacity + 1`.
 *
 * Source: J. Turner, "New directions in communications (or which way to the information age?)", IEEE Communications
 * Magazine 24 (10), 1986; the virtual scheduling form of ITU-T Recommendation I.371, annex A.
 *
 * @example
 * ```ts
 * import { leakyBucket } from "@sluice/leaky-bucket";
 *
 * const limiter = leakyBucket({ name: "crawl", leak: { tokens: 4, every: "1s" }, capacity: 3 });
 * const first = await limiter.consume("example.org");
 * const second = await limiter.consume("example.org");
 * console.log(first.delayMs, second.delayMs > 240); // 0 true
 * ```
 * @throws InvalidPolicyError when made with options that it cannot keep exactly
 */
export const leakyBucket: LimiterFactory<LeakyBucketOptions> = /* @__PURE__ */ defineAlgorithm(algorithm);
