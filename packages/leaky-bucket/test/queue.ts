import { memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { type LeakyBucketOptions, leakyBucket } from "../src/index.js";

/** A queue in memory, and the clock that it goes by. */
export function queue(capacity: number, tokens: number, every: LeakyBucketOptions["leak"]["every"]) {
  const clock = manualClock(1_735_689_600_000);
  const store = memoryStore({ clock });
  return { clock, limiter: leakyBucket({ name: "crawl", capacity, leak: { tokens, every }, store }) };
}
