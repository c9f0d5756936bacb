import { wide } from "@sluice/algorithm-proof";
import fc from "fast-check";
import type { LeakyBucketOptions } from "../src/leaky-bucket.js";
import type { LeakyBucketMeterOptions } from "../src/leaky-bucket-meter.js";

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_SPAN_MS = 2 ** 52;

/** A pace, and the most units that a level can hold exactly at it, reckoned in large numbers. */
const paces = fc.record({ tokens: wide(1, 2 ** 40), everyMs: wide(1, MAX_SPAN_MS) }).map((pace) => {
  const tokens = BigInt(pace.tokens);
  const everyMs = BigInt(pace.everyMs);
  const byUnits = MAX_EXACT / (everyMs / commonDivisor(tokens, everyMs));
  const bySpan = (BigInt(MAX_SPAN_MS) * tokens) / everyMs;
  return {
    leak: { tokens: pace.tokens, every: pace.everyMs },
    most: Number(byUnits < bySpan ? byUnits : bySpan),
  };
});

/** Meters of every size and pace, from a unit in thousands of years to the largest that can be kept exactly. */
export const meterPolicies: fc.Arbitrary<LeakyBucketMeterOptions> = paces
  .filter(({ most }) => most >= 1)
  .chain(({ leak, most }) => sizes(1, most).map((capacity) => ({ capacity, leak })));

/** Queues of every length and pace, those in which nobody can wait among them. */
export const queuePolicies: fc.Arbitrary<LeakyBucketOptions> = paces
  .filter(({ most }) => most >= 1)
  .chain(({ leak, most }) => sizes(0, most - 1).map((capacity) => ({ capacity, leak })));

function sizes(min: number, max: number): fc.Arbitrary<number> {
  return fc.oneof(wide(min, max), fc.integer({ min, max: Math.min(20, max) }));
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}
