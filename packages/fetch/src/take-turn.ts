import type { ByName, Holder, Key } from "@sluice/core";

/** Of a limiter or a composite alike. */
export interface Acquirable<AnyKey, Cost, Reserve, Granted> {
  acquire(key: AnyKey, options: Asked<Cost, Reserve>): Promise<Granted>;
  refund(decision: Granted): Promise<void>;
}

/** What a request waits for. */
export interface Asked<Cost, Reserve> {
  readonly cost?: Cost | undefined;
  readonly reserve?: Reserve | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly maxWaitMs: number;
}

/**
 * Waits until a request is granted, while nothing holds its key. Who sleeps until a slot in a queue does not hear of a hold
 * that is set meanwhile: it asks again for another slot, so that they do not all come at once when the hold ends.
 */
export async function takeTurn<AnyKey extends Key | ByName<string, Key>, Cost, Reserve, Granted>(
  limiter: Acquirable<AnyKey, Cost, Reserve, Granted>,
  holder: Holder,
  key: AnyKey,
  asked: Asked<Cost, Reserve>,
): Promise<Granted> {
  const deadlineMs = performance.now() + asked.maxWaitMs;
  let maxWaitMs = asked.maxWaitMs;
  for (;;) {
    const decision = await limiter.acquire(key, { ...asked, maxWaitMs });
    if (!holder.queues || (await heldMs(holder, key)) === 0) return decision;
    await limiter.refund(decision).catch(() => {});
    maxWaitMs = Math.max(0, Math.ceil(deadlineMs - performance.now()));
  }
}

/** What a store that fails cannot tell is no reason to wait. */
function heldMs(holder: Holder, key: Key | ByName<string, Key>): Promise<number> {
  return holder.heldMs(key).catch(() => 0);
}
