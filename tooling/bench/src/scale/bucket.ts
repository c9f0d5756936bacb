import type { Limiter, Store } from "@sluice/core";
import { tokenBucket } from "@sluice/token-bucket";

/** The server is slow while its instructions are counted, and a machine that is busy may be too. */
export const TIMEOUT_MS = 60_000;
const CAPACITY = 10_000_000;

/** The limiter that all parts of the scale look at: of an ample limit, so that no call is denied. */
export function ampleBucket(store: Store): Limiter {
  return tokenBucket({ name: "b", capacity: CAPACITY, refill: { tokens: 100, every: "1s" }, store });
}

/** Uses half of a key, so that a call finds a TTL that still fits, as it does on most keys in use. */
export async function useHalf(limiter: Limiter, key: string): Promise<void> {
  await limiter.consume(key, { cost: CAPACITY / 2 });
}
