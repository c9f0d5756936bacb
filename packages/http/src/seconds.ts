import type { Decision } from "@sluice/core";

/** The largest whole number of a structured field (RFC 9651, section 3.3.1). */
const MOST = 999_999_999_999_999;

/** Whole seconds, rounded up: whoever waits for so long does not come too early. */
export function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

/** An amount as a header can say it: beyond 15 digits it is said to be the largest that there is. */
export function fieldNumber(amount: number): number {
  return Math.min(amount, MOST);
}

/** The seconds of `Retry-After`: at least 1; undefined where the call is allowed, and where it can never pass. */
export function retryAfterSeconds({ allowed, retryAfterMs }: Decision): number | undefined {
  if (allowed || !Number.isFinite(retryAfterMs)) return undefined;
  return Math.max(1, wholeSeconds(retryAfterMs));
}

/**
 * The seconds after which a limit has more to give: that of `Retry-After` where it denies, since the drafts do not want
 * that one to be the earlier of the two; otherwise until it is whole again.
 */
export function resetSeconds(limit: Decision): number {
  return retryAfterSeconds(limit) ?? wholeSeconds(limit.resetAfterMs);
}
