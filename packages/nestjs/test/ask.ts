import { memoryStore, type Store } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { tokenBucket } from "@sluice/token-bucket";

/** A bucket that is refilled once a minute, in a time that stands still. */
export function bucket(
  name: string,
  capacity: number,
  store: Store = stillStore(),
): ReturnType<typeof tokenBucket> {
  return tokenBucket({ name, capacity, refill: { tokens: Math.max(1, capacity), every: "1m" }, store });
}

export function stillStore(): Store {
  return memoryStore({ clock: manualClock(1_700_000_000_000) });
}

/** Asks, and tells the status and what the header `RateLimit` says. */
export async function ask(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  await response.text();
  return `${response.status} ${response.headers.get("ratelimit")}`;
}
