import type { Duration } from "@sluice/core";
import {
  type Algorithm,
  type CompiledPolicy,
  defineAlgorithm,
  type LimiterFactory,
  MAX_EXACT,
  type PolicyChecks,
} from "@sluice/core/algorithm";
import adjustLua from "../lua/kernel/adjust.lua";
import consumeLua from "../lua/kernel/consume.lua";
import levelLua from "../lua/kernel/level.lua";
import policyLua from "../lua/kernel/policy.lua";
import { adjust, decide, lifeMs, regrant, report, type WindowParams, type WindowState } from "./kernel.js";

/** The options of a fixed window. */
export interface FixedWindowOptions {
  /** How many units a window admits. Whole, at least 0; 0 denies everything. */
  limit: number;
  /** How long a window is. */
  window: Duration;
  /**
   * Where windows start: `"clock"` (default) at multiples of `window` since the epoch, the same for every key;
   * `"first"` with a key's first grant.
   */
  anchor?: "clock" | "first" | undefined;
}

/** The fixed window as `defineAlgorithm` takes it. */
export const algorithm: Algorithm<FixedWindowOptions, WindowParams, WindowState> = {
  id: "fixed-window",
  tag: "fixed",
  version: 1,
  options: ["limit", "window", "anchor"],
  parameters: ["limit", "window", "first"],
  state: ["used", "last", "since"],
  dated: 1,
  lua: { level: levelLua, consume: consumeLua, adjust: adjustLua },
  foresees: true,
  // its state is told as of the grant: the whole of it is over when its window is
  lease: { holdableMs: ({ resetAfterMs }) => resetAfterMs, without: (facts) => facts },
  perKey: {
    fields: [
      { name: "limit", is: "number" },
      { name: "windowMs", is: "number" },
      { name: "anchor", is: "word", otherwise: "clock" },
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
): CompiledPolicy<WindowParams> {
  // one less than what is exact: a call may ask for one more than the limit
  const limit = checks.whole("limit", options.limit, 0, MAX_EXACT - 1);
  const windowMs = checks.duration("window", options.window);
  const { anchor = "clock" } = options;
  if (anchor !== "clock" && anchor !== "first") {
    return checks.refuse(`anchor must be "clock" or "first", got ${shown(anchor)}`);
  }
  return {
    limit,
    windowMs,
    data: { limit, windowMs, anchor },
    params: [limit, windowMs, anchor === "first" ? 1 : 0],
  };
}

/** A value as it should stand in a message, whatever it is. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/**
 * A fixed window: admits cost c when `used + c <= limit` within the current window. The cheapest limit there is; around
 * the end of a window it can admit up to twice the limit within one window's time.
 *
 * @example
 * ```ts
 * import { fixedWindow } from "@sluice/fixed-window";
 *
 * const limiter = fixedWindow({ name: "sign-up", limit: 3, window: "1m", anchor: "first" });
 * const decision = await limiter.consume("203.0.113.7");
 * console.log(decision.allowed, decision.remaining); // true 2
 * ```
 * @throws InvalidPolicyError when made with options that it cannot keep exactly
 */
export const fixedWindow: LimiterFactory<FixedWindowOptions> = defineAlgorithm(algorithm);
