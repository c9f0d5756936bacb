import { acquireOne } from "./acquire.js";
import { askOf, LOOK, NO_OPTIONS, type Request, readGrant, readKeepBlock, readRequest } from "./ask.js";
import { Corrections } from "./corrections.js";
import type { Decision } from "./decision.js";
import type { Denials } from "./deny-cache.js";
import type { Duration } from "./duration.js";
import { InvalidPolicyError, isStoreError } from "./errors.js";
import { givenBackAt } from "./given-back.js";
import { encodeKey, encodeKeys } from "./key.js";
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
import { policyChecks } from "./policy-checks.js";
import { readDecision } from "./read-decision.js";
import { unlessAborted } from "./signal.js";
import type { KeyPolicy, Limit, Outcome, Store } from "./store.js";
import { inTimeOfOne } from "./store-time.js";
import type { StoredPolicies } from "./stored-policies.js";
import { shown } from "./whole.js";

/** What makes a limiter: a limit, and the store that keeps the state. */
export interface LimiterParts<Name extends string, Own extends object> {
  readonly name: Name;
  readonly policy: Policy;
  readonly limit: Limit;
  readonly store: Store;
  /** How policies of single keys are written and read, where keys may have them. */
  readonly policies: StoredPolicies | undefined;
  /** Makes a limiter like this one with some of its own options replaced. */
  readonly variant: (own: Partial<Own>) => FullLimiter<Name, Own>;
  readonly share: Member["share"];
  readonly maxWaiters: number;
  /** Where denials are remembered in this process, if they are. */
  readonly denials: Denials | undefined;
}

/** A limiter whose state lives in a store: checks what it is told, lets the store decide, and reads the answer out. */
export class StoreLimiter<Name extends string, Own extends object> implements FullLimiter<Name, Own> {
  readonly name: Name;
  readonly policy: Policy;
  /** What it is as a part of a composite. */
  readonly member: Member;
  readonly #limit: Limit;
  readonly #store: Store;
  readonly #corrections: Corrections<Name>;
  readonly #policies: StoredPolicies | undefined;
  readonly #denials: Denials | undefined;
  readonly #variant: (own: Partial<Own>) => FullLimiter<Name, Own>;

  constructor({
    name,
    policy,
    limit,
    store,
    policies,
    variant,
    share,
    maxWaiters,
    denials,
  }: LimiterParts<Name, Own>) {
    this.name = name;
    this.policy = policy;
    this.#limit = limit;
    this.#store = store;
    this.#policies = policies;
    this.#variant = variant;
    this.#denials = denials;
    this.#corrections = new Corrections(name, limit, store);
    const check: Member["check"] = (decision, actualCost = 0) =>
      this.#corrections.check(decision, actualCost);
    const giveBack: Member["giveBack"] = (decision) => this.#corrections.giveBack(decision, true);
    this.member = { limiter: this, limit, store, maxWaiters, check, giveBack, share };
    setMembers(this, [this.member]);
  }

  consume(key: Key, options: ConsumeOptions = NO_OPTIONS): Promise<Decision<Name>> {
    return this.#decide(key, options, true);
  }

  peek(key: Key, options: PeekOptions = NO_OPTIONS): Promise<Decision<Name>> {
    return this.#decide(key, options, false);
  }

  acquire(key: Key, options: AcquireOptions = NO_OPTIONS): Promise<Decision<Name>> {
    return acquireOne(this, this.member, key, options);
  }

  async refund(decision: Decision): Promise<void> {
    await this.#corrections.giveBack(decision, false);
  }

  async settle(decision: Decision, actualCost: number): Promise<Decision<Name>> {
    return this.#corrections.settle(decision, actualCost);
  }

  /** Adds tokens, up to the limit; see {@link Grants}. */
  async grant(keys: string | readonly Key[], tokens: number): Promise<number[]> {
    if (this.#limit.kernel.grants !== true) this.#refuse("grant() is for a token bucket");
    const delta = -readGrant(this.name, tokens);
    const outcomes = encodeKeys(this.name, keys).map(async (key) => {
      const outcome = await this.#corrections.adjust(key, delta);
      return readDecision(this.name, this.#limit, key, LOOK, { ...outcome, taken: 0 }, false).remaining;
    });
    return Promise.all(outcomes);
  }

  async block(key: Key, duration: Duration): Promise<void> {
    const spanMs = policyChecks(this.name).duration("the time to block for", duration);
    this.#checkBlocks("block()");
    const encoded = encodeKey(this.name, key);
    await this.#store.block(this.#limit, encoded, spanMs);
    // it may be shorter than one that was there
    givenBackAt(this.#store, this.#limit, encoded);
  }

  async unblock(key: Key): Promise<void> {
    this.#checkBlocks("unblock()");
    const encoded = encodeKey(this.name, key);
    await this.#store.block(this.#limit, encoded, 0);
    givenBackAt(this.#store, this.#limit, encoded);
  }

  /** Sets the policy of one key; see {@link KeyedLimits}. */
  async setLimit(key: Key, own: Own): Promise<void> {
    const policies = this.#checkPerKey("setLimit()");
    await this.#setPolicy(encodeKey(this.name, key), policies.write(own));
  }

  /** The policy of one key; see {@link KeyedLimits}. */
  async getLimit(key: Key): Promise<Policy | undefined> {
    const policies = this.#checkPerKey("getLimit()");
    const fields = await this.#store.getPolicy(this.#limit, encodeKey(this.name, key));
    return fields && policies.read(fields);
  }

  /** Takes the policy of one key away; see {@link KeyedLimits}. */
  async clearLimit(key: Key): Promise<void> {
    this.#checkPerKey("clearLimit()");
    await this.#setPolicy(encodeKey(this.name, key), undefined);
  }

  async reset(key: Key, options: ResetOptions = {}): Promise<void> {
    const keepBlock = readKeepBlock(this.name, options);
    const encoded = encodeKey(this.name, key);
    await this.#store.forget(this.#limit, encoded, keepBlock);
    givenBackAt(this.#store, this.#limit, encoded);
  }

  with(own: Partial<Own>): FullLimiter<Name, Own> {
    return this.#variant(own);
  }

  async #setPolicy(key: string, policy: KeyPolicy | undefined): Promise<void> {
    const work = async (): Promise<void> => {
      await this.#store.setPolicy(this.#limit, key, policy);
      // what is used may matter for longer now: a call for nothing sees to it that it is kept for so long
      const isLimited = policy !== undefined || this.#limit.limit >= 0;
      if (isLimited) await this.#keepForAsLong(key);
    };
    await inTimeOfOne({ store: this.#store, limiterName: this.name, counts: false, work });
    givenBackAt(this.#store, this.#limit, key);
  }

  async #keepForAsLong(key: string): Promise<void> {
    try {
      await this.#store.decide(this.#limit, key, { ...LOOK, commit: true });
    } catch (error) {
      // the policy is set, whatever has become of the state
      if (!isStoreError(error) || error.serverCode !== "SLUICESTATE") throw error;
    }
  }

  #checkBlocks(call: string): void {
    if (this.#limit.blockForMs === undefined) this.#refuse(`${call} needs the option blockFor`);
  }

  #checkPerKey(call: string): StoredPolicies {
    return this.#policies ?? this.#refuse(`${call} needs the option perKey: true`);
  }

  #refuse(problem: string): never {
    throw new InvalidPolicyError(`limiter ${shown(this.name)}: ${problem}`);
  }

  #read(
    key: string,
    request: Request,
    outcome: Outcome,
    commit: boolean,
    note: ReturnType<Denials["begin"]> | undefined,
  ): Decision<Name> {
    const decision = readDecision(this.name, this.#limit, key, request, outcome, commit);
    if (!decision.allowed) note?.(key, { request, outcome, decision });
    return decision;
  }

  /** Not async itself: a promise less for each decision. */
  #decide(key: Key, options: ConsumeOptions, commit: boolean): Promise<Decision<Name>> {
    try {
      const encoded = encodeKey(this.name, key);
      const request = readRequest(this.name, options, commit);
      const { signal } = options;
      if (signal?.aborted) return Promise.reject(signal.reason);
      const denials = commit ? this.#denials : undefined;
      const again = denials?.find(this.name, encoded, request);
      if (again !== undefined) return Promise.resolve(again);
      const note = denials?.begin();
      const ask = this.#limit.perKey ? request : askOf(request, this.#limit.limit);
      const outcome = this.#store.decide(this.#limit, encoded, ask, signal);
      // no closure for an answer that is there
      if ("taken" in outcome) return Promise.resolve(this.#read(encoded, request, outcome, commit, note));
      const read = (answer: Outcome): Decision<Name> => this.#read(encoded, request, answer, commit, note);
      // what is granted to a caller who has left is given back
      return unlessAborted(signal, outcome.then(read), (late) => {
        this.#corrections.giveBack(late, true).catch(() => {});
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
