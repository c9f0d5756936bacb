import { askOf, isNever, type Request } from "./ask.js";
import type { Decision } from "./decision.js";
import { writeReceipt } from "./receipt.js";
import type { Limit, Outcome } from "./store.js";

/** The limit and window that decided: the key's own where it has a policy of its own. */
export function boundsOf(
  limit: Limit,
  outcome: Outcome,
): { readonly limit: number; readonly windowMs: number } {
  return (outcome.params && limit.kernel.perKey?.bounds(outcome.params)) ?? limit;
}

/**
 * What a store's numbers say to the caller. `isCharged` is false where the call was only looked at, or was denied by
 * another limit that had to allow it too.
 */
export function readDecision<Name extends string>(
  name: Name,
  limit: Limit,
  key: string,
  request: Request,
  outcome: Outcome,
  isCharged: boolean,
): Decision<Name> {
  const { taken, nowMs, facts, blockedUntilMs = 0, params = limit.params } = outcome;
  const { kernel } = limit;
  const bounds = boundsOf(limit, outcome);
  const allowed = taken >= 0;
  const charged = allowed && isCharged ? taken : 0;
  const isDenied = taken === -1 || taken === -3;
  const report = kernel.report(facts, nowMs, isDenied ? -1 : charged, askOf(request, bounds.limit), params);
  const blockedMs = Math.max(0, blockedUntilMs - nowMs);
  const never = !allowed && isNever(request, bounds.limit);
  const retryAfterMs = Math.max(blockedMs, isDenied ? report.retryAfterMs : 0);
  return {
    allowed,
    limit: bounds.limit,
    windowMs: bounds.windowMs,
    remaining: blockedMs > 0 ? 0 : report.remaining,
    retryAfterMs: never ? Number.POSITIVE_INFINITY : retryAfterMs,
    resetAfterMs: Math.max(blockedMs, report.resetAfterMs),
    delayMs: allowed ? report.delayMs : 0,
    cost: request.cost,
    taken: charged,
    name,
    key,
    decidedAtMs: nowMs,
    reason: allowed ? "allowed" : never ? "never" : taken < -1 ? "blocked" : "limited",
    source: "store",
    receipt: charged > 0 ? writeReceipt(kernel.tag, charged, facts) : "",
  };
}
