import { acquireOne } from "./acquire.js";
import { NO_OPTIONS, type Request, readActualCost, readRequest } from "./ask.js";
import type { Decision } from "./decision.js";
import type { Duration } from "./duration.js";
import { asFallbacks, askFallback, fallbacksOwn } from "./fallback.js";
import { encodeKey } from "./key.js";
import type {
  AcquireOptions,
  ConsumeOptions,
  FullLimiter,
  Key,
  PeekOptions,
  Policy,
  ResetOptions,
} from "./limiter.js";
import { type Member, setMembers } from "./members.js";
import type { StandIn, StoreGuard } from "./store-guard.js";
import { type Undecided, unavailable, unsettled } from "./unavailable.js";
import { lookAgainAt } from "./waiting-lines.js";

/** A limiter for which something stands in when its store fails, or that has an observer. */
export class GuardedLimiter<Name extends string, Own extends object> implements FullLimiter<Name, Own> {
  readonly name: Name;
  readonly policy: Policy;
  readonly #limiter: FullLimiter<Name, Own>;
  readonly #member: Member;
  readonly #guard: StoreGuard<Name>;
  readonly #variant: (own: Partial<Own>) => FullLimiter<Name, Own>;

  constructor(
    limiter: FullLimiter<Name, Own>,
    member: Member,
    guard: StoreGuard<Name>,
    variant: (own: Partial<Own>) => FullLimiter<Name, Own>,
  ) {
    this.name = limiter.name;
    this.policy = limiter.policy;
    this.#limiter = limiter;
    this.#member = member;
    this.#guard = guard;
    this.#variant = variant;
    const { policy } = guard;
    const check: Member["check"] = (decision, actualCost = 0) => {
      if (fallbacksOwn(decision, policy) === undefined) member.check(decision, actualCost);
      else readActualCost(this.name, actualCost);
    };
    const standIn: Member["standIn"] =
      policy === "throw" ? undefined : (...call) => this.#standIn(policy, ...call);
    const giveBack: Member["giveBack"] = (decision) =>
      fallbacksOwn(decision, policy) === undefined ? member.giveBack(decision) : this.refund(decision);
    setMembers(this, [{ ...member, limiter: this, plain: limiter, check, giveBack, standIn, guard }]);
  }

  consume(key: Key, options: ConsumeOptions = NO_OPTIONS): Promise<Decision<Name>> {
    return this.#decide("consume", key, options);
  }

  peek(key: Key, options: PeekOptions = NO_OPTIONS): Promise<Decision<Name>> {
    return this.#decide("peek", key, options);
  }

  acquire(key: Key, options: AcquireOptions = NO_OPTIONS): Promise<Decision<Name>> {
    return acquireOne(this, this.#member, key, options);
  }

  async refund(decision: Decision): Promise<void> {
    const { policy } = this.#guard;
    const own = fallbacksOwn(decision, policy);
    if (own !== undefined && typeof policy === "object") {
      await policy.refund(own);
      this.#lookAgainAt(decision.key);
      return;
    }
    return this.#guard.run(
      "refund",
      () => this.#limiter.refund(decision),
      () => {},
    );
  }

  async settle(decision: Decision, actualCost: number): Promise<Decision<Name>> {
    const { policy } = this.#guard;
    const own = fallbacksOwn(decision, policy);
    if (own !== undefined && typeof policy === "object") {
      readActualCost(this.name, actualCost);
      const settled = asFallbacks(await policy.settle(own, actualCost));
      this.#lookAgainAt(decision.key);
      return settled;
    }
    return this.#guard.run(
      "settle",
      () => this.#limiter.settle(decision, actualCost),
      (_by, error) => {
        const request = { commit: true, cost: actualCost, least: actualCost, reserve: 0 };
        return unsettled(decision, error, this.#undecided(decision.key, request));
      },
    );
  }

  reset(key: Key, options?: ResetOptions): Promise<void> {
    return this.#guard.run(
      "reset",
      () => this.#limiter.reset(key, options),
      async (by) => {
        if (typeof by !== "object") return;
        await by.reset(key, options);
        this.#lookAgainAt(encodeKey(this.name, key));
      },
    );
  }

  grant(keys: string | readonly Key[], tokens: number): Promise<number[]> {
    return this.#limiter.grant(keys, tokens);
  }

  block(key: Key, duration: Duration): Promise<void> {
    return this.#limiter.block(key, duration);
  }

  unblock(key: Key): Promise<void> {
    return this.#limiter.unblock(key);
  }

  setLimit(key: Key, own: Own): Promise<void> {
    return this.#limiter.setLimit(key, own);
  }

  getLimit(key: Key): Promise<Policy | undefined> {
    return this.#limiter.getLimit(key);
  }

  clearLimit(key: Key): Promise<void> {
    return this.#limiter.clearLimit(key);
  }

  with(own: Partial<Own>): FullLimiter<Name, Own> {
    return this.#variant(own);
  }

  /** Whoever waits here may be served by the fallback, which has got something back. */
  #lookAgainAt(key: string): void {
    lookAgainAt(this.#member.store, this.#member.limit, key);
  }

  async #decide(operation: "consume" | "peek", key: Key, options: ConsumeOptions): Promise<Decision<Name>> {
    const decision = await this.#guard.run(
      operation,
      () => this.#limiter[operation](key, options),
      (by) => this.#standIn(by, key, options, operation === "consume"),
    );
    this.#guard.decided(operation, decision);
    return decision;
  }

  async #standIn(
    by: StandIn<Name>,
    key: Key,
    options: ConsumeOptions,
    commit: boolean,
  ): Promise<Decision<Name>> {
    if (typeof by === "object") return askFallback(by, key, options, commit);
    const request = readRequest(this.name, options, commit);
    return unavailable(by, this.#undecided(encodeKey(this.name, key), request));
  }

  #undecided(key: string, request: Request): Undecided<Name> {
    const { limit, store } = this.#member;
    return { name: this.name, limit, key, request, health: store.health() };
  }
}
