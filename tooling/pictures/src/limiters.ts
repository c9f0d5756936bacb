import type { Limiter, Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { leakyBucket, leakyBucketMeter } from "@sluice/leaky-bucket";
import { slidingWindowCounter, slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";

/** All limits are five in five seconds, or one a second and bursts of five. */
const LIMIT = 5;
const RATE = { tokens: 1, every: "1s" };
export const WINDOW_MS = 5_000;

/** A limiter, and how the picture calls it. */
export interface Drawn {
  factory: string;
  policy: string;
  limiter: Limiter;
}

/** One limiter of each kind. */
export function limiters(store: Store): Drawn[] {
  const window = { limit: LIMIT, window: WINDOW_MS, store };
  return [
    {
      factory: "fixedWindow",
      policy: "5 in each 5 s of the clock",
      limiter: fixedWindow({ name: "fixed", ...window }),
    },
    {
      factory: "slidingWindowLog",
      policy: "5 in any 5 s",
      limiter: slidingWindowLog({ name: "log", ...window }),
    },
    {
      factory: "slidingWindowCounter",
      policy: "5 in any 5 s, estimated",
      limiter: slidingWindowCounter({ name: "counter", ...window }),
    },
    {
      factory: "tokenBucket",
      policy: "5 tokens, 1 back each second",
      limiter: tokenBucket({ name: "bucket", capacity: LIMIT, refill: RATE, store }),
    },
    {
      factory: "leakyBucketMeter",
      policy: "room for 5, 1 leaks each second",
      limiter: leakyBucketMeter({ name: "meter", capacity: LIMIT, leak: RATE, store }),
    },
    {
      factory: "leakyBucket",
      policy: "1 each second, 4 wait: drawn when the work is done",
      limiter: leakyBucket({ name: "queue", capacity: LIMIT - 1, leak: RATE, store }),
    },
  ];
}
