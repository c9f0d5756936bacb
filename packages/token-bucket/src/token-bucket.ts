import {
  type Algorithm,
  type Ask,
  defineAlgorithm,
  type LimiterFactory,
  type Report,
} from "@sluice/core/algorithm";
import adjustLua from "../lua/kernel/adjust.lua";
import consumeLua from "../lua/kernel/consume.lua";
import levelLua from "../lua/kernel/level.lua";
import { adjust, type BucketParams, type BucketState, decide, lifeMs, regrant } from "./kernel.js";
import { compilePolicy, type TokenBucketOptions } from "./policy.js";

/** The token bucket as `defineAlgorithm` takes it. */
export const algorithm: Algorithm<TokenBucketOptions, BucketParams, BucketState> = {
  id: "token-bucket",
  version: 1,
  options: ["capacity", "refill"],
  parameters: ["capacity", "refill", "scale"],
  state: ["used", "dated", "measure"],
  dated: 1,
  lua: { level: levelLua, consume: consumeLua, adjust: adjustLua },
  compile: compilePolicy,
  decide,
  adjust,
  lifeMs,
  report,
  regrant,
};

function report([usedUnits, datedMs]: BucketState, nowMs: number, ask: Ask, params: BucketParams): Report {
  const [capacityUnits, refillPerMs, unitsPerToken] = params;
  // a state dated ahead refills nothing until its date
  const aheadMs = Math.max(0, datedMs - nowMs);
  const missingUnits = usedUnits + (ask.least + ask.reserve) * unitsPerToken - capacityUnits;
  return {
    remaining: Math.max(0, Math.floor((capacityUnits - usedUnits) / unitsPerToken)),
    retryAfterMs: aheadMs + Math.ceil(missingUnits / refillPerMs),
    resetAfterMs: usedUnits === 0 ? 0 : aheadMs + Math.ceil(usedUnits / refillPerMs),
    delayMs: 0,
  };
}

/**
 * A token bucket: a burst of up to `capacity` at once, refilled at a steady pace, one token every
 * `refill.every / refill.tokens`. In any interval of t it grants at most `capacity + t · tokens / every`.
 *
 * Exact: all arithmetic is in whole units of which a millisecond refills a whole number, so 10 tokens every 13 s at
 * capacity 1 promise a retry after 1300 ms and keep it to the millisecond.
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
export const tokenBucket: LimiterFactory<TokenBucketOptions> = defineAlgorithm(algorithm);
