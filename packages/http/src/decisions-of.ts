import type { AnyDecision } from "./any-decision.js";

const decisions = new WeakMap<object, AnyDecision[]>();

/**
 * What was decided about a request, one decision a limited route or layer that it has come to, in that order; for a handler
 * that settles what the request has really cost, say.
 *
 * @param request what the functions among the options are given first: a `Request`, or a framework's request or context
 */
export function decisionsOf(request: object): readonly AnyDecision[] {
  return decisions.get(request) ?? [];
}

/** Keeps a decision for as long as the request is there. */
export function remember(request: unknown, decision: AnyDecision): void {
  if (typeof request !== "object" || request === null) return;
  const others = decisions.get(request);
  if (others === undefined) decisions.set(request, [decision]);
  else others.push(decision);
}
