import type { Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { leakyBucket, leakyBucketMeter } from "@sluice/leaky-bucket";
import { slidingWindowCounter, slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";

/** A limit of every algorithm, each with room for `limit` units, of which none comes back within a minute. */
export function oneOfEach(store: Store, limit: number) {
  const common = { store, window: "30d", limit } as const;
  const rate = { tokens: 1, every: "30d" } as const;
  return [
    tokenBucket({ name: "bucket", capacity: limit, refill: rate, store }),
    fixedWindow({ name: "window", anchor: "first", ...common }),
    slidingWindowLog({ name: "log", ...common }),
    slidingWindowCounter({ name: "counter", ...common, window: "365d" }),
    leakyBucketMeter({ name: "meter", capacity: limit, leak: rate, store }),
    leakyBucket({ name: "queue", capacity: limit - 1, leak: rate, store }),
  ] as const;
}
