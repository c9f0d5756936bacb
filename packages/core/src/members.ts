import type { Decision } from "./decision.js";
import type { Limiter } from "./limiter.js";
import type { Limit, Store } from "./store.js";

/** Leads from a limiter, a composite too, to the limits it is made of; the same for every copy of this package. */
const MEMBERS = Symbol.for("@sluice/core/members/1");

/** A limit within a composite, and the limiter that it was made as. */
export interface Member {
  readonly limiter: Pick<Limiter, "name" | "policy" | "refund" | "settle" | "reset">;
  readonly limit: Limit;
  readonly store: Store;
  /**
   * Whether a decision can be refunded, or settled at a cost, as far as that can be told without asking the store.
   *
   * @throws InvalidKeyError, InvalidCostError
   */
  check(decision: Decision, actualCost?: number): void;
}

/** Says, once, what a limiter is made of. */
export function setMembers(limiter: object, members: readonly Member[]): void {
  Object.defineProperty(limiter, MEMBERS, { value: members });
}

/** The limits that a limiter is made of; undefined for what is no limiter. */
export function membersOf(limiter: unknown): readonly Member[] | undefined {
  if (typeof limiter !== "object" || limiter === null) return undefined;
  return Reflect.get(limiter, MEMBERS);
}
