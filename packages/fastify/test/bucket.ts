import { memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { tokenBucket } from "@sluice/token-bucket";

/** A bucket that is refilled once a minute, in a time that stands still. */
export function bucket(name: string, capacity: number): ReturnType<typeof tokenBucket<string>> {
  const store = memoryStore({ clock: manualClock(1_700_000_000_000) });
  return tokenBucket({ name, capacity, refill: { tokens: Math.max(1, capacity), every: "1m" }, store });
}
