import type { Duration } from "@sluice/core";
import {
  type Algorithm,
  type CompiledPolicy,
  defineAlgorithm,
  type LimiterFactory,
  type PolicyChecks,
} from "@sluice/core/algorithm";
import adjustLua from "../lua/log/kernel/adjust.lua";
import consumeLua from "../lua/log/kernel/consume.lua";
import levelLua from "../lua/log/kernel/level.lua";
import loadLua from "../lua/log/kernel/load.lua";
import policyLua from "../lua/log/kernel/policy.lua";
import readLua from "../lua/log/kernel/read.lua";
import writeLua from "../lua/log/kernel/write.lua";
import { adjust, decide, type LogParams, lifeMs, MAX_USED, regrant, report } from "./log-kernel.js";
import type { LogState } from "./log-state.js";

/** The options of a sliding window kept by a log. */
export interface SlidingWindowLogOptions {
  /** How many units any window admits. Whole, at least 0; 0 denies everything. */
  limit: number;
  /** How long a window is, up to 2^48 ms. */
  window: Duration;
}

/** In Redis a date has six bytes: what counts must not lie further apart than they can tell. */
const MAX_WINDOW_MS = 2 ** 48;

/** The sliding log as `defineAlgorithm` takes it. */
export const algorithm: Algorithm<SlidingWindowLogOptions, LogParams, LogState | undefined> = {
  id: "sliding-window-log",
  tag: "log",
  version: 1,
  options: ["limit", "window"],
  parameters: ["limit", "window"],
  state: ["tail", "lastTotal", "lastAt", "head", "base", "firstAt", "firstTotal", "slots"],
  facts: ["used", "newest", "freeAt"],
  dated: 1,
  lua: {
    level: levelLua,
    consume: consumeLua,
    adjust: adjustLua,
    storage: { read: readLua, load: loadLua, write: writeLua },
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
): CompiledPolicy<LogParams> {
  const limit = checks.whole("limit", options.limit, 0, MAX_USED - 1);
  const windowMs = checks.duration("window", options.window, MAX_WINDOW_MS);
  return { limit, windowMs, data: { limit, windowMs }, params: [limit, windowMs] };
}

/**
 * A sliding window, exact: at most `limit` units in any half-open interval `(t - window, t]`, whenever it begins. It
 * remembers each millisecond in which something was granted: some 14 bytes each in Redis.
 *
 * @example
 * ```ts
 * import { slidingWindowLog } from "@sluice/sliding-window";
 *
 * const limiter = slidingWindowLog({ name: "log-in", limit: 5, window: "15m" });
 * const decision = await limiter.consume(["user:42", "203.0.113.7"]);
 * console.log(decision.allowed, decision.remaining); // true 4
 * ```
 * @throws InvalidPolicyError when made with options that it cannot keep exactly
 */
export const slidingWindowLog: LimiterFactory<SlidingWindowLogOptions> =
  /* @__PURE__ */ defineAlgorithm(algorithm);
