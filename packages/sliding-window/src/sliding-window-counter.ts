import type { Duration } from "@sluice/core";
import {
  type Algorithm,
  type CompiledPolicy,
  defineAlgorithm,
  type LimiterFactory,
  MAX_EXACT,
  type PolicyChecks,
} from "@sluice/core/algorithm";
import adjustLua from "../lua/counter/kernel/adjust.lua";
import consumeLua from "../lua/counter/kernel/consume.lua";
import levelLua from "../lua/counter/kernel/level.lua";
import policyLua from "../lua/counter/kernel/policy.lua";
import {
  adjust,
  type CounterParams,
  type CounterState,
  decide,
  lifeMs,
  regrant,
  report,
} from "./counter-kernel.js";

/** The options of a sliding window kept by two counters. */
export interface SlidingWindowCounterOptions {
  /** How many units any window admits, as estimated. Whole, at least 0; 0 denies everything. */
  limit: number;
  /** How long a window is, less than 2^36 ms (two years). */
  window: Duration;
}

/** Up to this the products of a count and a window can be divided exactly in Lua. */
const MAX_WINDOW_MS = 2 ** 36 - 1;

/** The sliding counter as `defineAlgorithm` takes it. */
export const algorithm: Algorithm<SlidingWindowCounterOptions, CounterParams, CounterState> = {
  id: "sliding-window-counter",
  tag: "counter",
  version: 1,
  options: ["limit", "window"],
  parameters: ["limit", "window"],
  state: ["current", "previous", "last", "width"],
  dated: 2,
  lua: { level: levelLua, consume: consumeLua, adjust: adjustLua },
  foresees: true,
  // in the next window it would count as what was granted in this one, and weigh less
  lease: {
    holdableMs: ({ windowMs, decidedAtMs }) => windowMs - (decidedAtMs % windowMs),
    without: (facts) => facts,
  },
  perKey: {
    fields: [
      { name: "limit", is: "number" },
      { name: "windowMs", is: "number" },
    ],
    lua: policyLua,
    most: "limit",
    bounds: ([limit, windowMs]) => ({ limit, windowMs }),
  },
  compile,
  decide,
  adjust,
  lifeMs,
  report,
  regrant,
};

function compile(
  options: Readonly<Record<string, unknown>>,
  checks: PolicyChecks,
): CompiledPolicy<CounterParams> {
  // one less than what is exact: a call may ask for one more than the limit
  const limit = checks.whole("limit", options.limit, 0, MAX_EXACT - 1);
  const windowMs = checks.duration("window", options.window, MAX_WINDOW_MS);
  return { limit, windowMs, data: { limit, windowMs }, params: [limit, windowMs] };
}

/**
 * A sliding window in constant memory: two counters and an estimate. It admits cost c when
 * `(current + c) * window + previous * (window - elapsed) <= limit * window`, where `current` and `previous` were
 * granted in the present window of the clock and in the one before it, and `elapsed` of the present one has passed.
 * Compared in whole numbers, never rounded.
 *
 * An estimate: it takes what was granted in the previous window to be spread evenly. A greedy caller can approach
 * twice the limit in a window's time; never more than `limit * (1 + x / window)` in any stretch x.
 *
 * @example
 * ```ts
 * import { slidingWindowCounter } from "@sluice/sliding-window";
 *
 * const limiter = slidingWindowCounter({ name: "tokens", limit: 1_000_000, window: "30d" });
 * const decision = await limiter.consume("tenant:7", { cost: 1_500 });
 * console.log(decision.allowed, decision.remaining); // true 998500
 * ```
 * @throws InvalidPolicyError when made with options that it cannot keep exactly
 */
export const slidingWindowCounter: LimiterFactory<SlidingWindowCounterOptions> = defineAlgorithm(algorithm);
