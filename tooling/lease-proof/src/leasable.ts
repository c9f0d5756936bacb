import type { Leasable, Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { leakyBucketMeter } from "@sluice/leaky-bucket";
import { slidingWindowCounter } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";

/** A limit in terms that every algorithm can keep: so many units, which come back within a time. */
export interface Shape {
  readonly limit: number;
  readonly windowMs: number;
}

/** Makes a limiter of one algorithm. */
export type Make = (store: Store, shape: Shape) => Leasable<string>;

/** The algorithms that can be leased from and count in windows of the clock. */
export const WINDOWS = {
  "fixed window": (store, { limit, windowMs }) =>
    fixedWindow({ name: "fixed", limit, window: windowMs, store }),
  "sliding counter": (store, { limit, windowMs }) =>
    slidingWindowCounter({ name: "counter", limit, window: windowMs, store }),
} as const satisfies Record<string, Make>;

/** Those whose units come back one by one: `limit` of them in `windowMs`. */
export const BUCKETS = {
  "token bucket": (store, { limit, windowMs }) =>
    tokenBucket({ name: "bucket", capacity: limit, refill: { tokens: limit, every: windowMs }, store }),
  meter: (store, { limit, windowMs }) =>
    leakyBucketMeter({ name: "meter", capacity: limit, leak: { tokens: limit, every: windowMs }, store }),
} as const satisfies Record<string, Make>;

/** All of them, and the fixed window that begins with a grant. */
export const LEASABLE = {
  ...WINDOWS,
  "fixed window from the first": (store, { limit, windowMs }) =>
    fixedWindow({ name: "first", anchor: "first", limit, window: windowMs, store }),
  ...BUCKETS,
} as const satisfies Record<string, Make>;
