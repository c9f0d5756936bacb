import { acquireOne } from "./acquire.js";
import type { Numbers } from "./algorithm-definition.js";
import { LOOK, questionOf, readActualCost, readGrant, readKeepBlock, readRequest } from "./ask.js";
import type { Decision } from "./decision.js";
import type { Duration } from "./duration.js";
import {
  InvalidCostError,
  InvalidKeyError,
  InvalidPolicyError,
  isStoreError,
  mayHaveCounted,
} from "./errors.js";
import { factNames } from "./fact-names.js";
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
import { type Receipt, readReceipt, writeReceipt } from "./receipt.js";
import { unlessAborted } from "./signal.js";
import { spentReceipts } from "./spent-receipts.js";
import type { KeyPolicy, Limit, Outcome, Store } from "./store.js";
import { inTimeOfOne } from "./store-time.js";
import type { StoredPolicies } from "./stored-policies.js";
import { lookAgainAt } from "./waiting-lines.js";
import { isWhole, shown } from "./whole.js";

const NO_OPTIONS = {};
/** How much longer than its grant can matter a spent receipt is remembered: the process's clock is not the store's. */
const RECEIPT_MARGIN_MS = 60_000;

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
}

/** A limiter whose state lives in a store: checks what it is told, lets the store decide, and reads the answer out. */
export class StoreLimiter<Name extends string, Own extends object> implements FullLimiter<Name, Own> {
  readonly name: Name;
  readonly policy: Policy;
  /** What it is as a part of a composite. */
  readonly member: Member;
  readonly #limit: Limit;
  readonly #store: Store;
  readonly #policies: StoredPolicies | undefined;
  readonly #variant: (own: Partial<Own>) => FullLimiter<Name, Own>;

  constructor({ name, policy, limit, store, policies, variant, share, maxWaiters }: LimiterParts<Name, Own>) {
    this.name = name;
    this.policy = policy;
    this.#limit = limit;
    this.#store = store;
    this.#policies = policies;
    this.#variant = variant;
    const check = (decision: Decision, actualCost = 0): void => {
      readActualCost(name, actualCost);
      this.#checkOwn(decision);
      if (decision.receipt !== "") this.#readReceipt(decision);
    };
    const giveBack = (decision: Decision): Promise<void> => this.#giveBack(decision, true);
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
    this.#checkOwn(decision);
    await this.#giveBack(decision, false);
  }

  async settle(decision: Decision, actualCost: number): Promise<Decision<Name>> {
    const cost = readActualCost(this.name, actualCost);
    this.#checkOwn(decision);
    if (decision.taken === 0) {
      const outcome = await this.#adjust(decision.key, cost, undefined);
      return this.#settled(decision, cost, outcome, outcome.facts);
    }
    const receipt = decision.receipt === "" ? undefined : this.#readReceipt(decision);
    const delta = receipt === undefined ? 0 : cost - receipt.taken;
    const outcome = receipt && (await this.#spend(decision, receipt, delta));
    if (receipt === undefined || outcome === undefined) {
      // it was refunded or settled before: nothing is changed, and nothing can be
      const standing = await this.#adjust(decision.key, 0, undefined);
      return { ...this.#settled(decision, cost, standing, []), taken: decision.taken, receipt: "" };
    }
    const { params = this.#limit.params } = outcome;
    const regranted = this.#limit.kernel.regrant(receipt.granted, delta, params);
    return this.#settled(decision, cost, outcome, regranted);
  }

  /** Adds tokens, up to the limit; see {@link Grants}. */
  async grant(keys: string | readonly Key[], tokens: number): Promise<number[]> {
    if (this.#limit.kernel.grants !== true) this.#refuse("grant() is for a token bucket");
    const delta = -readGrant(this.name, tokens);
    const outcomes = encodeKeys(this.name, keys).map(async (key) => {
      const outcome = await this.#adjust(key, delta, undefined);
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
    lookAgainAt(this.#store, this.#limit, encoded);
  }

  async unblock(key: Key): Promise<void> {
    this.#checkBlocks("unblock()");
    const encoded = encodeKey(this.name, key);
    await this.#store.block(this.#limit, encoded, 0);
    lookAgainAt(this.#store, this.#limit, encoded);
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

  async reset(key: Key, options: ResetOptions = NO_OPTIONS): Promise<void> {
    const keepBlock = readKeepBlock(this.name, options);
    const encoded = encodeKey(this.name, key);
    await this.#store.forget(this.#limit, encoded, keepBlock);
    lookAgainAt(this.#store, this.#limit, encoded);
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
    lookAgainAt(this.#store, this.#limit, key);
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

  async #decide(key: Key, options: ConsumeOptions, commit: boolean): Promise<Decision<Name>> {
    const encoded = encodeKey(this.name, key);
    const request = readRequest(this.name, options, commit);
    const { signal } = options;
    if (signal?.aborted) throw signal.reason;
    const { ask } = questionOf(this.#limit, encoded, request);
    const outcome = this.#store.decide(this.#limit, encoded, ask, signal);
    const read = (answer: Outcome): Decision<Name> =>
      readDecision(this.name, this.#limit, encoded, request, answer, commit);
    if ("taken" in outcome) return read(outcome);
    // what is granted to a caller who has left is given back
    return unlessAborted(signal, outcome.then(read), (late) => {
      this.#giveBack(late, true).catch(() => {});
    });
  }

  #settled(decision: Decision, cost: number, outcome: Outcome, granted: Numbers): Decision<Name> {
    const request = { commit: false, cost, least: cost, reserve: 0 };
    const settled = readDecision(
      this.name,
      this.#limit,
      decision.key,
      request,
      { ...outcome, taken: cost },
      false,
    );
    // where there was no delay, none comes of a clock that steps back
    const heldUntilMs = decision.delayMs > 0 ? decision.decidedAtMs + decision.delayMs : 0;
    const delayMs = Math.max(0, heldUntilMs - outcome.nowMs);
    return {
      ...settled,
      delayMs,
      taken: cost,
      receipt: cost > 0 ? writeReceipt(this.#limit.kernel.tag, cost, granted) : "",
    };
  }

  /** Gives back all that a decision took; with `isOwed` it goes past a breaker that is open. */
  async #giveBack(decision: Decision, isOwed: boolean): Promise<void> {
    if (decision.receipt === "") return;
    const receipt = this.#readReceipt(decision);
    await this.#spend(decision, receipt, -receipt.taken, isOwed);
  }

  /** Corrects a grant once; undefined when its receipt was spent already. */
  async #spend(
    decision: Decision,
    receipt: Receipt,
    delta: number,
    isOwed = false,
  ): Promise<Outcome | undefined> {
    const { issuer, serial, granted } = receipt;
    const spent = spentReceipts();
    const lifeMs = this.#lifeOf(decision, receipt, this.#limit.params);
    if (!spent.spend(issuer, serial, lifeMs + RECEIPT_MARGIN_MS)) return undefined;
    try {
      const outcome = await this.#adjust(decision.key, delta, granted, isOwed);
      if (outcome.params !== undefined) {
        spent.keep(issuer, serial, this.#lifeOf(decision, receipt, outcome.params) + RECEIPT_MARGIN_MS);
      }
      return outcome;
    } catch (error) {
      // where the outcome is unknown the receipt stays spent: twice would be more than was taken
      if (!mayHaveCounted(error)) spent.restore(issuer, serial);
      throw error;
    }
  }

  /** For how long a grant can matter, under the policy that granted it and under one that holds now. */
  #lifeOf({ decidedAtMs, resetAfterMs }: Decision, { granted, taken }: Receipt, params: Numbers): number {
    const { kernel } = this.#limit;
    const saidMs = isWhole(resetAfterMs, 0) ? resetAfterMs : 0;
    // there is none but that of the key
    if ((params[0] ?? -1) < 0) return saidMs;
    const present = kernel.regrant(granted, 0, params);
    return Math.max(saidMs, kernel.report(present, decidedAtMs, taken, LOOK, params).resetAfterMs);
  }

  async #adjust(key: string, delta: number, granted: Numbers | undefined, isOwed = false): Promise<Outcome> {
    const outcome = await this.#store.adjust(this.#limit, key, { delta, granted }, isOwed);
    if (delta < 0) lookAgainAt(this.#store, this.#limit, key);
    if (outcome.taken >= 0) return outcome;
    throw new InvalidCostError(
      `limiter ${shown(this.name)}: ${delta} units more would be a debt too large to be counted exactly`,
    );
  }

  #checkOwn(decision: Decision): void {
    const { name, key, receipt, taken } = decision ?? {};
    const whole =
      typeof key === "string" && /^[^{}]+$/.test(key) && typeof receipt === "string" && isWhole(taken, 0);
    if (name === this.name && whole) return;
    const got = whole ? `one of ${shown(name)}` : shown(decision);
    throw new InvalidKeyError(
      `limiter ${shown(this.name)}: a decision of this limiter was expected, got ${got}`,
    );
  }

  #readReceipt(decision: Decision): Receipt {
    const { kernel } = this.#limit;
    return readReceipt(this.name, kernel.tag, decision.receipt, factNames(kernel).length);
  }
}
