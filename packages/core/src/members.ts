import type { Decision } from "./decision.js";
import type { ConsumeOptions, Key, Limiter } from "./limiter.js";
import type { Limit, Store } from "./store.js";
import type { StoreGuard } from "./store-guard.js";

/** Leads from a limiter, a composite too, to the limits it is made of; the same for every copy of this package. */
const MEMBERS = Symbol.for("@sluice/core/members/1");

/** What is asked of a limit by whoever stands before it. */
export type PlainLimiter<Name extends string = string> = Pick<
  Limiter<Name>,
  "name" | "policy" | "consume" | "peek" | "refund" | "settle" | "reset" | "block" | "unblock"
>;

/** A limit within a composite, and the limiter that it was made as. */
export interface Member {
  readonly limiter: PlainLimiter;
  /** The same without anything that stands in when the store fails; absent where there is no such thing. */
  readonly plain?: PlainLimiter | undefined;
  /** Whether its limiter grants from portions that it holds. */
  readonly isLeased?: boolean | undefined;
  readonly limit: Limit;
  readonly store: Store;
  readonly maxWaiters: number;
  /**
   * Whether a decision can be refunded, or settled at a cost, as far as that can be told without asking the store.
   *
   * @throws InvalidKeyError, InvalidCostError
   */
  check(decision: Decision, actualCost?: number): void;
  /** As `refund`, whatever the breaker says: for a grant that came when nobody waited for it any more. */
  giveBack(decision: Decision): Promise<void>;
  /**
   * A limiter of this process alone with a share of the limit; see `fallbackShare`.
   *
   * @throws InvalidPolicyError
   */
  share(share: number): Limiter;
  /** Decides in the place of a store that failed; absent where the limiter throws. */
  readonly standIn?: ((key: Key, options: ConsumeOptions, commit: boolean) => Promise<Decision>) | undefined;
  /** Tells the limiter's observer. */
  readonly guard?: Pick<StoreGuard<string>, "decided" | "failed"> | undefined;
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
