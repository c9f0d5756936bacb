import type { Limiter, Store } from "@sluice/core";
import type { LimiterFactory } from "@sluice/core/algorithm";
import { fixedWindow } from "@sluice/fixed-window";
import { leakyBucket, leakyBucketMeter } from "@sluice/leaky-bucket";
import { slidingWindowCounter, slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";

/** A limiter of whatever algorithm. */
export interface LimiterRequest {
  readonly name: string;
  readonly store: Store;
  /** Units every `windowMs`, all of them at once if need be. */
  readonly limit: number;
  readonly windowMs: number;
}

/** An algorithm that a store must serve. */
export interface AlgorithmCase {
  readonly title: string;
  make(request: LimiterRequest): Limiter;
}

/** Every algorithm there is, in each of its kinds. */
export const ALGORITHMS: readonly AlgorithmCase[] = [
  caseOf("tokenBucket", tokenBucket, (limit, windowMs) => ({
    capacity: limit,
    refill: { tokens: limit, every: windowMs },
  })),
  fixedWindowCase("clock"),
  fixedWindowCase("first"),
  caseOf("slidingWindowLog", slidingWindowLog, (limit, window) => ({ limit, window })),
  caseOf("slidingWindowCounter", slidingWindowCounter, (limit, window) => ({ limit, window })),
  caseOf("leakyBucket", leakyBucket, (limit, windowMs) => ({
    capacity: limit - 1,
    leak: { tokens: limit, every: windowMs },
  })),
  caseOf("leakyBucketMeter", leakyBucketMeter, (limit, windowMs) => ({
    capacity: limit,
    leak: { tokens: limit, every: windowMs },
  })),
];

function fixedWindowCase(anchor: "clock" | "first"): AlgorithmCase {
  return caseOf(`fixedWindow, anchor ${anchor}`, fixedWindow, (limit, window) => ({ limit, window, anchor }));
}

function caseOf<Own extends object>(
  title: string,
  create: LimiterFactory<Own>,
  shape: (limit: number, windowMs: number) => Own,
): AlgorithmCase {
  return {
    title,
    make: ({ limit, windowMs, ...common }) => create({ ...shape(limit, windowMs), ...common }),
  };
}
