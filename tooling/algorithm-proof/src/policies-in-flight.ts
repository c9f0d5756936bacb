import type { Policy } from "@sluice/core";
import fc from "fast-check";
import { type Amount, amounts, forwardStretches, type Stretch, stretchMs, unitsOf } from "./amounts.ts";
import type { Subject } from "./subject.ts";

/** What may happen to a policy while its limit is in use. */
type Replacement<Own> =
  | { readonly kind: "other"; readonly own: Own }
  | { readonly kind: "resized"; readonly limit: Amount }
  | { readonly kind: "reshaped"; readonly limit: Amount; readonly window: Stretch };

/** Two or three policies of one limit: one, and what it is replaced by. */
export function policiesInFlight<Own extends object>(subject: Subject<Own>): fc.Arbitrary<readonly Own[]> {
  const replacement: fc.Arbitrary<Replacement<Own>> = fc.oneof(
    fc.record({ kind: fc.constant("other" as const), own: subject.policies }),
    fc.record({ kind: fc.constant("resized" as const), limit: amounts }),
    fc.record({ kind: fc.constant("reshaped" as const), limit: amounts, window: forwardStretches }),
  );
  const replacements = fc.array(replacement, { minLength: 1, maxLength: 2 });
  return fc
    .tuple(subject.policies, replacements)
    .map(([first, others]) => [first, ...others.map((other) => replaced(subject, first, other))]);
}

/** The policy of a limiter with these options. */
export function policyOf<Own extends object>(subject: Subject<Own>, own: Own): Policy {
  return subject.create({ ...own, name: "policy" }).policy;
}

function replaced<Own extends object>(subject: Subject<Own>, first: Own, replacement: Replacement<Own>): Own {
  if (replacement.kind === "other") return replacement.own;
  const policy = policyOf(subject, first);
  const limit = Math.max(subject.smallestLimit, unitsOf(replacement.limit, policy.limit));
  const own =
    replacement.kind === "resized"
      ? { ...first, ...subject.resized(limit) }
      : { ...first, ...subject.shape(limit, 1 + stretchMs(replacement.window, policy.windowMs)) };
  return canBeMade(subject, own) ? own : first;
}

/** A replacement may be larger than the algorithm can keep exactly. */
function canBeMade<Own extends object>(subject: Subject<Own>, own: Own): boolean {
  try {
    policyOf(subject, own);
    return true;
  } catch {
    return false;
  }
}
