import type { Limiter, Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";
import type { Round, Title } from "./demands.ts";

/** So long that nothing comes back while callers are at work. */
const LONG = "365d";
const PLENTY = 1_000_000;

/** What decides on a demand. */
export function limiterOf(title: Title, store: Store, { scarce }: Round): Limiter {
  switch (title) {
    case "bucket":
      return tokenBucket({ name: title, capacity: scarce, refill: { tokens: 1, every: LONG }, store });
    case "log":
      return slidingWindowLog({ name: title, limit: scarce, window: LONG, store });
    // of one limit: what happens to one key shall not reach the other
    case "plenty":
    case "broken":
      return fixedWindow({ name: "plenty", anchor: "first", limit: PLENTY, window: LONG, store });
  }
}
