import { wide } from "@sluice/algorithm-proof";
import fc from "fast-check";
import type { TokenBucketOptions } from "../src/token-bucket.js";

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_SPAN_MS = 2 ** 52;

/** The largest capacity that is exact, reckoned by trying: a bucket of a billion billions is never among those. */
function largestCapacity(tokens: number, everyMs: number): number {
  const shared = commonDivisor(BigInt(tokens), BigInt(everyMs));
  const unitsPerToken = BigInt(everyMs) / shared;
  const byUnits = MAX_EXACT / unitsPerToken;
  const bySpan = (BigInt(MAX_SPAN_MS) * BigInt(tokens)) / BigInt(everyMs);
  return Number(byUnits < bySpan ? byUnits : bySpan);
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}

/** Buckets of every size and pace, from 1 token in thousands of years to the largest that can be kept exactly. */
export const policies: fc.Arbitrary<TokenBucketOptions> = fc
  .record({ tokens: wide(1, 2 ** 40), everyMs: wide(1, MAX_SPAN_MS) })
  .filter(({ tokens, everyMs }) => largestCapacity(tokens, everyMs) >= 1)
  .chain(({ tokens, everyMs }) => {
    const largest = largestCapacity(tokens, everyMs);
    const capacities = fc.oneof(wide(1, largest), fc.integer({ min: 1, max: Math.min(20, largest) }));
    return capacities.map((capacity) => ({ capacity, refill: { tokens, every: everyMs } }));
  });
