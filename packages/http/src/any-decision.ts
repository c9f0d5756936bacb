import { type CompositeDecision, type Decision, InvalidPolicyError } from "@sluice/core";
import { shown } from "./checks.js";

/** The answer of one limit, or of several that decided together. */
export type AnyDecision = Decision | CompositeDecision;

/** @throws InvalidPolicyError for what is no decision */
export function checkDecision(whose: string, decision: unknown): void {
  const isDecision =
    typeof decision === "object" && decision !== null && "allowed" in decision && "retryAfterMs" in decision;
  if (!isDecision) {
    throw new InvalidPolicyError(`${whose}: a decision was expected, got ${shown(decision)}`);
  }
}

/**
 * The decisions of all limits that took part, in their order, of which no two have the same name. Where a fallback answers
 * for several limits, the tighter one of a name speaks for it.
 */
export function limitsIn(decision: AnyDecision): Decision[] {
  const limits = new Map<string, Decision>();
  for (const limit of "limits" in decision ? Object.values<Decision>(decision.limits) : [decision]) {
    const other = limits.get(limit.name);
    if (other === undefined || isTighter(limit, other)) limits.set(limit.name, limit);
  }
  return [...limits.values()];
}

/** Whether a policy decided for a store that failed, and not the limit. */
export function isUnavailable({ reason }: Decision): boolean {
  return reason === "unavailable";
}

/** Whether it is known what is used of a limit: where a policy allows for a store that failed, it is not. */
export function isUsageKnown(limit: Decision): boolean {
  return !(limit.allowed && isUnavailable(limit));
}

function isTighter(one: Decision, other: Decision): boolean {
  return one.retryAfterMs === other.retryAfterMs
    ? one.remaining < other.remaining
    : one.retryAfterMs > other.retryAfterMs;
}
