import { deciding } from "./aggregate.js";
import { checkCallOptions, questionOf, type Request, readKeepBlock, readRequest } from "./ask.js";
import { type ByName, byName, isOneForAll, none } from "./by-name.js";
import type { CompositeDecision, CompositeLimiter, CompositeOptions } from "./compose.js";
import type { Decision } from "./decision.js";
import { CrossSlotError, InvalidKeyError } from "./errors.js";
import { encodeKey } from "./key.js";
import type { Key, Policy, ResetOptions } from "./limiter.js";
import { type Member, setMembers } from "./members.js";
import { readDecision } from "./read-decision.js";
import { unlessAborted } from "./signal.js";
import { reserveSlots } from "./slot-reserver.js";
import type { Outcome, Question, Store } from "./store.js";
import { shown } from "./whole.js";

const NO_OPTIONS = {};
const CALL_OPTIONS: readonly string[] = ["cost", "reserve", "signal"] satisfies (keyof CompositeOptions)[];

/** One limit's part of a call. */
interface Part {
  readonly request: Request;
  readonly question: Question;
}

/** Several limits of one store, which decides on them together as far as it can. */
export class Composite<Name extends string> implements CompositeLimiter<Name> {
  readonly name: string;
  readonly policies: ByName<Name, Policy>;
  readonly #members: readonly Member[];
  readonly #names: readonly string[];
  readonly #store: Store;
  readonly #crossSlot: "reserve" | "error";

  constructor(name: string, members: readonly Member[], store: Store, crossSlot: "reserve" | "error") {
    this.name = name;
    this.#members = members;
    this.#names = members.map(({ limit }) => limit.name);
    this.#store = store;
    this.#crossSlot = crossSlot;
    this.policies = this.#byName(members.map(({ limiter }) => [limiter.name, limiter.policy]));
    setMembers(this, members);
  }

  consume(
    key: Key | ByName<Name, Key>,
    options: CompositeOptions<Name> = NO_OPTIONS,
  ): Promise<CompositeDecision<Name>> {
    return this.#decide(key, options, true);
  }

  peek(
    key: Key | ByName<Name, Key>,
    options: CompositeOptions<Name> = NO_OPTIONS,
  ): Promise<CompositeDecision<Name>> {
    return this.#decide(key, options, false);
  }

  async refund(decision: CompositeDecision<Name>): Promise<void> {
    const own = this.#decisionsIn(decision);
    for (const { limiter, check } of this.#members) check(own(limiter.name));
    await allSettled(this.#members.map(({ limiter }) => limiter.refund(own(limiter.name))));
  }

  async settle(
    decision: CompositeDecision<Name>,
    actualCost: number | ByName<Name, number>,
  ): Promise<CompositeDecision<Name>> {
    const own = this.#decisionsIn(decision);
    const cost = byName<number>(this.#whose, this.#names, actualCost, isOneForAll);
    for (const { limiter, check } of this.#members) check(own(limiter.name), cost(limiter.name));
    const settled = this.#members.map(({ limiter }) => limiter.settle(own(limiter.name), cost(limiter.name)));
    return this.#aggregate(await allSettled(settled));
  }

  async reset(key: Key | ByName<Name, Key>, options: ResetOptions = NO_OPTIONS): Promise<void> {
    const keyOf = byName<Key>(this.#whose, this.#names, key, isOneForAll);
    readKeepBlock(this.name, options);
    for (const name of this.#names) encodeKey(name, keyOf(name));
    await allSettled(this.#members.map(({ limiter }) => limiter.reset(keyOf(limiter.name), options)));
  }

  get #whose(): string {
    return `composite ${shown(this.name)}`;
  }

  async #decide(
    key: Key | ByName<Name, Key>,
    options: CompositeOptions<Name>,
    commit: boolean,
  ): Promise<CompositeDecision<Name>> {
    const parts = this.#parts(key, options, commit);
    const { signal } = options;
    if (signal?.aborted) throw signal.reason;
    const decided = this.#ask(parts.map(({ question }) => question));
    const read = decided.then((outcomes) => this.#aggregate(readParts(parts, outcomes)));
    // what is granted to a caller who has left is given back
    return unlessAborted(signal, read, (late) => void this.refund(late).catch(() => {}));
  }

  #parts(key: Key | ByName<Name, Key>, options: CompositeOptions<Name>, commit: boolean): Part[] {
    checkCallOptions(this.#whose, options, CALL_OPTIONS);
    const keyOf = byName<Key>(this.#whose, this.#names, key, isOneForAll);
    const { cost: saidCost = 1, reserve: saidReserve = 0 } = options;
    const cost = byName<number>(this.#whose, this.#names, saidCost, isOneForAll);
    const reserve = byName<number>(this.#whose, this.#names, saidReserve, isOneForAll);
    return this.#members.map(({ limit }) => {
      const { name } = limit;
      const request = readRequest(name, { cost: cost(name), reserve: reserve(name) }, commit);
      return { request, question: questionOf(limit, encodeKey(name, keyOf(name)), request) };
    });
  }

  async #ask(questions: readonly Question[]): Promise<readonly Outcome[]> {
    const keys = new Set(questions.map(({ key }) => key));
    if (this.#store.multiKey || keys.size === 1) return this.#store.decideAll(questions);
    if (this.#crossSlot === "reserve") return reserveSlots(this.#store, questions);
    throw new CrossSlotError(
      `${this.#whose}: in a cluster the limits of one call must have one key, got ${[...keys].map(shown).join(", ")}`,
    );
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
    if (!this.#isName(own.name))
      throw new TypeError(`a decision of ${own.name}, which is not among the limits`);
    const limits = decisions.map((decision) => [decision.name, decision] as const);
    // only a queue has any delay
    const delayMs = own.allowed ? Math.max(...decisions.map((decision) => decision.delayMs)) : 0;
    return { ...own, name: own.name, delayMs, limits: this.#byName(limits) };
  }

  #isName(name: string): name is Name {
    return this.#names.includes(name);
  }

  #byName<Names extends object>(entries: readonly (readonly [name: string, value: unknown])[]): Names {
    const record: object = Object.fromEntries(entries);
    const isComplete = (found: object): found is Names =>
      this.#names.every((name) => Object.hasOwn(found, name));
    if (isComplete(record)) return record;
    throw new TypeError("a limit without a value");
  }
}

function readParts(parts: readonly Part[], outcomes: readonly Outcome[]): Decision[] {
  const isAllowed = outcomes.every(({ taken }) => taken >= 0);
  return parts.flatMap(({ request, question: { limit, key } }, i) => {
    const outcome = outcomes[i];
    const isCharged = isAllowed && request.commit;
    return outcome === undefined ? [] : [readDecision(limit.name, limit, key, request, outcome, isCharged)];
  });
}

/** Waits for all, and fails as the first that failed. */
async function allSettled<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
