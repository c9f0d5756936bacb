import type { AnyDecision } from "./any-decision.js";

/** One for a process, since a package may be loaded twice, as an ES module and as CommonJS. */
const REGISTRY = Symbol.for("@sluice/http/decisions.1");

const found: WeakMap<object, AnyDecision[]> | undefined = Reflect.get(globalThis, REGISTRY);
const decisions: WeakMap<object, AnyDecision[]> = found ?? new WeakMap();
Reflect.set(globalThis, REGISTRY, decisions);

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
