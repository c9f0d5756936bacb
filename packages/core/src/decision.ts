/**
 * Why a call was decided as it was: `"limited"` by the limit, `"blocked"` while its key is blocked, `"never"` because it
 * asks for more than the limit can ever give.
 */
export type DecisionReason = "allowed" | "limited" | "blocked" | "never" | "unavailable";

/** Who decided: the store, or something that stood in for it. */
export type DecisionSource = "store" | "deny-cache" | "lease" | "fallback" | "failure-policy";

/**
 * The answer to one call. Plain data: it survives JSON (an infinite `retryAfterMs` aside) and structured clone.
 * Durations are whole milliseconds, amounts whole units.
 */
export interface Decision<Name extends string = string> {
  allowed: boolean;
  /** Whole units of the policy that decided. */
  limit: number;
  /** That policy's window, or the time in which it drains when full. */
  windowMs: number;
  /** Whole units that could be consumed now: from 0 to `limit`. */
  remaining: number;
  /** 0 when allowed; otherwise the first whole millisecond at which the same call passes, `Infinity` if it never can. */
  retryAfterMs: number;
  /** Until the limit is whole again, if nothing more is consumed. */
  resetAfterMs: number;
  /** How long to hold the work; 0 for every algorithm that does not queue. */
  delayMs: number;
  /** What was asked. */
  cost: number;
  /** What was charged: `cost`, or less with `atLeast`; 0 for a denial, a peek and cost 0. */
  taken: number;
  /** The limit that decided. */
  name: Name;
  /** The encoded key, as it stands between the braces in Redis. */
  key: string;
  /** When it was decided, by the store's clock: milliseconds since the epoch. */
  decidedAtMs: number;
  reason: DecisionReason;
  source: DecisionSource;
  /** Opaque: what `refund` and `settle` need; `""` when nothing was taken. Trusted: not for a service's clients. */
  receipt: string;
}
