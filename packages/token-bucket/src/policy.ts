import type { Duration } from "@sluice/core";
import { type CompiledPolicy, MAX_EXACT, type PolicyChecks } from "@sluice/core/algorithm";
import type { BucketParams } from "./kernel.js";

/** The options of a token bucket. */
export interface TokenBucketOptions {
  /** How many tokens a full bucket holds: the largest burst. Whole, at least 0; 0 denies everything. */
  capacity: number;
  /** `tokens` (whole, at least 1) come back every `every`, one at a time: a token each `every / tokens`. */
  refill: { tokens: number; every: Duration };
}

/** Turns options into whole numbers, or refuses those that cannot be kept exactly. */
export function compilePolicy(
  options: TokenBucketOptions,
  checks: PolicyChecks,
): CompiledPolicy<BucketParams> {
  const refill = checks.record("refill", options.refill, ["tokens", "every"]);
  const tokens = checks.whole("refill.tokens", refill.tokens, 1);
  const everyMs = checks.duration("refill.every", refill.every);
  const shared = greatestCommonDivisor(tokens, everyMs);
  const refillPerMs = tokens / shared;
  const unitsPerToken = everyMs / shared;
  // the units of a full bucket must be exact, and so must be its time to fill up added to a date
  const largest = Math.floor(Math.min(MAX_EXACT, MAX_FILL_MS * refillPerMs) / unitsPerToken);
  const capacity = checks.whole("capacity", options.capacity, 0);
  if (capacity > largest) {
    checks.refuse(
      `capacity must be at most ${largest} to be exact with ${tokens} tokens every ${everyMs} ms, got ${capacity}`,
    );
  }
  return {
    limit: capacity,
    windowMs: Math.ceil((capacity * unitsPerToken) / refillPerMs),
    data: { capacity, refill: { tokens, everyMs } },
    params: [capacity * unitsPerToken, refillPerMs, unitsPerToken],
  };
}

const MAX_FILL_MS = 2 ** 52;

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
