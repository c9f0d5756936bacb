import { wide } from "@sluice/algorithm-proof";
import fc from "fast-check";
import type { SlidingWindowCounterOptions } from "../src/sliding-window-counter.js";
import type { SlidingWindowLogOptions } from "../src/sliding-window-log.js";

/** The largest that a log can keep. */
export const LARGEST_LOG = { limit: 2 ** 48 - 2, windowMs: 2 ** 48 } as const;
/** The largest that a counter can keep. */
export const LARGEST_COUNTER = { limit: 2 ** 53 - 2, windowMs: 2 ** 36 - 1 } as const;

/** Windows of every size and length, and small ones, in which what is granted soon counts no more. */
function windows({ limit, windowMs }: { limit: number; windowMs: number }) {
  const small = { limit: fc.integer({ min: 1, max: 20 }), window: fc.integer({ min: 1, max: 10_000 }) };
  return fc.oneof(
    { weight: 2, arbitrary: fc.record({ limit: wide(1, limit), window: wide(1, windowMs) }) },
    { weight: 1, arbitrary: fc.record({ ...small, window: wide(1, windowMs) }) },
    { weight: 1, arbitrary: fc.record(small) },
  );
}

/** Logs of every size, up to the largest. */
export const logPolicies: fc.Arbitrary<SlidingWindowLogOptions> = windows(LARGEST_LOG);

/** Counters of every size, up to the largest. */
export const counterPolicies: fc.Arbitrary<SlidingWindowCounterOptions> = windows(LARGEST_COUNTER);
