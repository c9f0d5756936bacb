import { isNever, type Request } from "./ask.js";
import type { Decision } from "./decision.js";
import type { StoreError } from "./errors.js";
import type { Limit, StoreHealth } from "./store.js";

/** A call that the store did not decide. */
export interface Undecided<Name extends string> {
  readonly name: Name;
  readonly limit: Limit;
  readonly key: string;
  readonly request: Request;
  readonly health: StoreHealth;
}

/**
 * What a failure policy decides: it knows the policy, and nothing of what is used. A call that no state of the limit could
 * allow is denied whatever the policy says.
 */
export function unavailable<Name extends string>(
  policy: "allow" | "deny",
  { name, limit, key, request, health }: Undecided<Name>,
): Decision<Name> {
  // where keys have limits of their own, only the store could tell
  const never = !limit.perKey && isNever(request, limit.limit);
  const allowed = policy === "allow" && !never;
  // while it is not open nothing of the cooldown has passed
  const leftMs = health.state === "open" ? Math.max(1, health.retryAfterMs) : health.cooldownMs;
  const deniedForMs = never ? Number.POSITIVE_INFINITY : leftMs;
  return {
    allowed,
    limit: Math.max(0, limit.limit),
    windowMs: limit.windowMs,
    remaining: 0,
    retryAfterMs: allowed ? 0 : deniedForMs,
    resetAfterMs: 0,
    delayMs: 0,
    cost: request.cost,
    taken: 0,
    name,
    key,
    decidedAtMs: Date.now(),
    reason: never ? "never" : "unavailable",
    source: "failure-policy",
    receipt: "",
  };
}

/** A decision that could not be settled: it stands as it was, and can be settled again where nothing can have counted. */
export function unsettled<Name extends string>(
  { taken, receipt }: Decision,
  error: StoreError,
  undecided: Undecided<Name>,
): Decision<Name> {
  return {
    ...unavailable("allow", undecided),
    allowed: true,
    reason: "unavailable",
    retryAfterMs: 0,
    taken,
    receipt: error.mayHaveCounted ? "" : receipt,
  };
}
