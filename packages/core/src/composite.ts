import { acquireAll } from "./acquire-all.js";
import { deciding } from "./aggregate.js";
import { readActualCost, readKeepBlock, readMaxWait, readRequest } from "./ask.js";
import { type ByName, byName, isOneForAll, none } from "./by-name.js";
import type {
  CompositeAcquireOptions,
  CompositeDecision,
  CompositeFailurePolicy,
  CompositeLimiter,
  CompositeOptions,
} from "./compose.js";
import { type Part, partsOf, readParts } from "./composite-call.js";
import { standInEach, unavailableEach } from "./composite-failure.js";
import {
  askCompositeFallback,
  type CompositeFallback,
  compositeFallbacksOwn,
  saying,
  spread,
} from "./composite-fallback.js";
import type { Decision } from "./decision.js";
import { CrossSlotError, InvalidKeyError, isStoreError, type StoreError } from "./errors.js";
import { asFallbacks } from "./fallback.js";
import { encodeKey } from "./key.js";
import type { Key, Policy, ResetOptions } from "./limiter.js";
import { type Member, setMembers } from "./members.js";
import { unlessAborted } from "./signal.js";
import { reserveSlots } from "./slot-reserver.js";
import type { Outcome, Store } from "./store.js";
import { unsettled } from "./unavailable.js";
import { lookAgainAt } from "./waiting-lines.js";
import { shown } from "./whole.js";

const NO_OPTIONS = {};

/** What makes a composite. */
export interface CompositeParts {
  readonly name: string;
  readonly members: readonly Member[];
  readonly store: Store;
  readonly crossSlot: "reserve" | "error";
  /** Undefined where each limit's own policy holds. */
  readonly onStoreFailure: CompositeFailurePolicy | undefined;
}

/** Several limits of one store, which decides on them together as far as it can. */
export class Composite<Name extends string> implements CompositeLimiter<Name> {
  readonly name: string;
  readonly policies: ByName<Name, Policy>;
  readonly #members: readonly Member[];
  readonly #names: readonly string[];
  readonly #store: Store;
  readonly #crossSlot: "reserve" | "error";
  readonly #onStoreFailure: CompositeFailurePolicy | undefined;
  readonly #fallback: CompositeFallback | undefined;

  constructor({ name, members, store, crossSlot, onStoreFailure }: CompositeParts) {
    this.name = name;
    this.#members = members;
    this.#names = members.map(({ limit }) => limit.name);
    this.#store = store;
    this.#crossSlot = crossSlot;
    this.#onStoreFailure = onStoreFailure;
    this.#fallback = typeof onStoreFailure === "object" ? onStoreFailure : undefined;
    this.policies = this.#byName(members.map(({ limiter }) => [limiter.name, limiter.policy]));
    setMembers(this, members);
  }

  consume(
    key: Key | ByName<Name, Key>,
    options: CompositeOptions<Name> = NO_OPTIONS,
  ): Promise<CompositeDecision<Name>> {
    return this.#decide("consume", key, options);
  }

  peek(
    key: Key | ByName<Name, Key>,
    options: CompositeOptions<Name> = NO_OPTIONS,
  ): Promise<CompositeDecision<Name>> {
    return this.#decide("peek", key, options);
  }

  async acquire(
    key: Key | ByName<Name, Key>,
    options: CompositeAcquireOptions<Name> = NO_OPTIONS,
  ): Promise<CompositeDecision<Name>> {
    const { maxWaitMs, ...asked } = options;
    const parts = partsOf(this.#whose, this.#members, key, asked, true);
    const { signal, ...consumed } = asked;
    return acquireAll({
      whose: this.#whose,
      parts,
      maxWaitMs: readMaxWait(this.#whose, maxWaitMs),
      signal,
      attempt: () => this.consume(key, consumed),
      giveBack: (decision) => this.refund(decision),
      isOwn: (decision): decision is CompositeDecision<Name> => this.#isComplete(decision),
    });
  }

  async refund(decision: CompositeDecision<Name>): Promise<void> {
    const fallbacksOwn = this.#fallback && compositeFallbacksOwn(decision, this.#fallback);
    if (fallbacksOwn !== undefined) {
      await this.#fallback?.refund(fallbacksOwn);
      for (const { limit, store } of this.#members) lookAgainAt(store, limit, decision.key);
      return;
    }
    const own = this.#decisionsIn(decision);
    for (const { limit, check } of this.#members) check(own(limit.name));
    await this.#each(
      "refund",
      (limiter) => limiter.refund(own(limiter.name)),
      () => {},
    );
  }

  async settle(
    decision: CompositeDecision<Name>,
    actualCost: number | ByName<Name, number>,
  ): Promise<CompositeDecision<Name>> {
    const costOf = byName<number>(this.#whose, this.#names, actualCost, isOneForAll);
    const fallback = this.#fallback;
    const fallbacksOwn = fallback && compositeFallbacksOwn(decision, fallback);
    if (fallback !== undefined && fallbacksOwn !== undefined) {
      for (const name of this.#names) readActualCost(name, costOf(name));
      const said = saying(fallback, this.#names)(costOf);
      return this.#spread(asFallbacks(await fallback.settle(fallbacksOwn, said)));
    }
    const own = this.#decisionsIn(decision);
    for (const { limit, check } of this.#members) check(own(limit.name), costOf(limit.name));
    const settled = await this.#each(
      "settle",
      (limiter) => limiter.settle(own(limiter.name), costOf(limiter.name)),
      ({ limit, store }, error) => {
        const { name } = limit;
        const request = readRequest(name, { cost: costOf(name) }, true);
        return unsettled(own(name), error, {
          name,
          limit,
          key: own(name).key,
          request,
          health: store.health(),
        });
      },
    );
    return this.#aggregate(settled);
  }

  async reset(key: Key | ByName<Name, Key>, options: ResetOptions = NO_OPTIONS): Promise<void> {
    const keyOf = byName<Key>(this.#whose, this.#names, key, isOneForAll);
    readKeepBlock(this.name, options);
    for (const name of this.#names) encodeKey(name, keyOf(name));
    const failed: StoreError[] = [];
    await this.#each(
      "reset",
      (limiter) => limiter.reset(keyOf(limiter.name), options),
      (_member, error) => void failed.push(error),
    );
    const fallback = failed.length > 0 ? this.#fallback : undefined;
    await fallback?.reset(saying(fallback, this.#names)(keyOf), options);
  }

  get #whose(): string {
    return `composite ${shown(this.name)}`;
  }

  async #decide(
    operation: "consume" | "peek",
    key: Key | ByName<Name, Key>,
    options: CompositeOptions<Name>,
  ): Promise<CompositeDecision<Name>> {
    const parts = partsOf(this.#whose, this.#members, key, options, operation === "consume");
    const { signal } = options;
    if (signal?.aborted) throw signal.reason;
    const decided = this.#ask(parts, signal).then(
      (outcomes) => this.#aggregate(readParts(parts, outcomes)),
      (error) => this.#standIn(operation, parts, error),
    );
    // what is granted to a caller who has left is given back
    const decision = await unlessAborted(signal, decided, (late) => this.#giveBack(late));
    const own = new Map(Object.entries<Decision>(decision.limits));
    for (const { guard, limit } of this.#members) {
      const decided = own.get(limit.name);
      if (decided !== undefined) guard?.decided(operation, decided);
    }
    return decision;
  }

  #giveBack(late: CompositeDecision<Name>): void {
    if (late.source === "fallback" && this.#fallback !== undefined) {
      this.refund(late).catch(() => {});
      return;
    }
    const own = this.#decisionsIn(late);
    for (const { limit, giveBack } of this.#members) giveBack(own(limit.name)).catch(() => {});
  }

  async #ask(parts: readonly Part[], signal: AbortSignal | undefined): Promise<readonly Outcome[]> {
    const questions = parts.map(({ question }) => question);
    const keys = new Set(questions.map(({ key }) => key));
    if (this.#store.multiKey || keys.size === 1) return this.#store.decideAll(questions, signal);
    if (this.#crossSlot === "reserve") return reserveSlots(this.#store, this.name, questions, signal);
    throw new CrossSlotError(
      `${this.#whose}: in a cluster the limits of one call must have one key, got ${[...keys].map(shown).join(", ")}`,
    );
  }

  /** Decides where the store failed, as the composite's policy says, or else that of each limit. */
  async #standIn(
    operation: "consume" | "peek",
    parts: readonly Part[],
    error: unknown,
  ): Promise<CompositeDecision<Name>> {
    if (!isStoreError(error)) throw error;
    for (const { guard } of this.#members) guard?.failed(operation, error);
    const commit = operation === "consume";
    switch (this.#onStoreFailure) {
      case undefined:
        return this.#aggregate(await standInEach(parts, error, commit));
      case "throw":
        throw error;
      case "allow":
      case "deny":
        return this.#aggregate(unavailableEach(this.#onStoreFailure, parts));
      default:
        return this.#spread(await askCompositeFallback(this.#onStoreFailure, parts, commit));
    }
  }

  /** Does something with each limit. Where the store fails, the limit's own policy holds, unless the composite has one. */
  async #each<Answer>(
    operation: "refund" | "settle" | "reset",
    work: (limiter: Member["limiter"]) => Promise<Answer>,
    standIn: (member: Member, error: StoreError) => Answer,
  ): Promise<Answer[]> {
    const policy = this.#onStoreFailure;
    const answers = this.#members.map(async (member) => {
      if (policy === undefined) return work(member.limiter);
      try {
        return await work(member.plain ?? member.limiter);
      } catch (error) {
        if (!isStoreError(error)) throw error;
        member.guard?.failed(operation, error);
        if (policy === "throw") throw error;
        return standIn(member, error);
      }
    });
    await Promise.allSettled(answers);
    return Promise.all(answers);
  }

  #decisionsIn(decision: CompositeDecision<Name>): (name: string) => Decision {
    const limits: unknown = decision?.limits;
    if (typeof limits === "object" && limits !== null) {
      return byName<Decision>(this.#whose, this.#names, decision.limits, none);
    }
    throw new InvalidKeyError(
      `${this.#whose}: a decision of this composite was expected, got ${shown(decision)}`,
    );
  }

  /** All fields of a composite's decision are those of the one limit that decides, but for the delay. */
  #aggregate(decisions: readonly Decision[]): CompositeDecision<Name> {
    const own = deciding(decisions);
    const limits = this.#names.map((name, i) => [name, decisions[i]] as const);
    // only a queue has any delay
    const delayMs = own.allowed ? Math.max(...decisions.map((decision) => decision.delayMs)) : 0;
    return { ...this.#named(own), delayMs, limits: this.#byName(limits) };
  }

  /** A fallback's decision as one of this composite. */
  #spread(decision: Decision): CompositeDecision<Name> {
    const limits = this.#byName<CompositeDecision<Name>["limits"]>(
      Object.entries(spread(this.#names, decision)),
    );
    return { ...this.#named(decision), limits };
  }

  #named(decision: Decision): Decision<Name> {
    if (this.#isOwn(decision)) return decision;
    throw new TypeError(`a decision of ${decision.name}, which is not among the limits`);
  }

  /** The decision of a fallback names a limit of that one. */
  #isOwn(decision: Decision): decision is Decision<Name> {
    return this.#names.includes(decision.name) || decision.source === "fallback";
  }

  #isComplete(decision: Decision): boolean {
    const limits: unknown = Reflect.get(decision, "limits");
    return typeof limits === "object" && limits !== null && this.#names.every((name) => name in limits);
  }

  #byName<Names extends object>(entries: readonly (readonly [name: string, value: unknown])[]): Names {
    const record: object = Object.fromEntries(entries);
    const isComplete = (found: object): found is Names =>
      this.#names.every((name) => Object.hasOwn(found, name));
    if (isComplete(record)) return record;
    throw new TypeError("a limit without a value");
  }
}
