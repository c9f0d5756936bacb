import type { Decision } from "./decision.js";

/**
 * The decision of the limit that decides among several: where one denies, the one that does so for longest; otherwise
 * the one that could allow the same call the fewest times more.
 */
export function deciding<Name extends string>(decisions: readonly Decision<Name>[]): Decision<Name> {
  const denials = decisions.filter(({ allowed }) => !allowed);
  const [first, ...others] = denials.length > 0 ? denials : decisions;
  if (first === undefined) throw new TypeError("no decision to choose from");
  const beats = denials.length > 0 ? isLonger : isTighter;
  return others.reduce((best, next) => (beats(next, best) ? next : best), first);
}

function isLonger(one: Decision, other: Decision): boolean {
  return one.retryAfterMs > other.retryAfterMs;
}

function isTighter(one: Decision, other: Decision): boolean {
  return callsLeft(one) < callsLeft(other);
}

function callsLeft({ remaining, cost }: Decision): number {
  return cost === 0 ? remaining : Math.floor(remaining / cost);
}
