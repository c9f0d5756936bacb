import type { Request } from "./ask.js";
import type { Decision } from "./decision.js";
import { perProcess } from "./per-process.js";
import { readDecision } from "./read-decision.js";
import type { Limit, Outcome, Store } from "./store.js";

/** For how long a denial is remembered in this process, and for how many keys. */
export interface DenyCacheOptions {
  /** At most so long, in milliseconds; whole, from 1; default 1,000. What others do meanwhile goes unseen. */
  maxMs?: number | undefined;
  /** Whole, from 1; default 10,000. When there are more, the oldest is forgotten. */
  maxKeys?: number | undefined;
}

/** The same, read. */
export interface DenyCacheBounds {
  readonly maxMs: number;
  readonly maxKeys: number;
}

/** A call that was denied. */
interface Denied {
  readonly request: Request;
  readonly outcome: Outcome;
  readonly decision: Decision;
}

interface Denial extends Denied {
  readonly limit: Limit;
  readonly reason: Decision["reason"];
  readonly numbers: DenialNumbers;
}

/**
 * What a denial that is found is made from, side by side: with a thousand keys it is the way to memory that takes the
 * time. The first two are by `performance.now()`: when the store's answer came, after it had decided, so that nobody is
 * promised too little; and until when it holds, reckoned from when it was asked, so that nothing is denied for longer than
 * the store would.
 */
type DenialNumbers = readonly [
  heardAtMs: number,
  untilMs: number,
  needed: number,
  cost: number,
  decidedAtMs: number,
  retryAfterMs: number,
  resetAfterMs: number,
  remaining: number,
  limit: number,
  windowMs: number,
];

/** By key, the oldest first. */
type DenialsByKey = Map<string, Denial>;

/** One for each limit of a store, for all copies of this package: `<space>` by store. */
const knownTo: WeakMap<Store, Map<string, DenialsByKey>> = perProcess("denials", 1, () => new WeakMap());

/** The denials of one limit's keys, which are given again without asking the store. */
export class Denials {
  readonly #limit: Limit;
  readonly #bounds: DenyCacheBounds;
  readonly #byKey: DenialsByKey;

  /** Those that a limiter of the same name and algorithm on the same store has heard count too, under the same policy. */
  constructor(store: Store, limit: Limit, bounds: DenyCacheBounds) {
    this.#limit = limit;
    this.#bounds = bounds;
    const ofStore = knownTo.get(store) ?? new Map<string, DenialsByKey>();
    knownTo.set(store, ofStore);
    this.#byKey = ofStore.get(limit.space) ?? new Map();
    ofStore.set(limit.space, this.#byKey);
  }

  /** What a call is denied again with; undefined where the store has to be asked. */
  find<Name extends string>(name: Name, key: string, request: Request): Decision<Name> | undefined {
    const denial = this.#byKey.get(key);
    if (denial === undefined || denial.limit !== this.#limit) return undefined;
    const nowMs = performance.now();
    const { numbers } = denial;
    if (nowMs >= numbers[1]) {
      this.#byKey.delete(key);
      return undefined;
    }
    const elapsedMs = Math.floor(nowMs - numbers[0]);
    if (numbers[2] === request.least + request.reserve && numbers[3] === request.cost) {
      return later(numbers, denial.reason, name, key, elapsedMs);
    }
    const decision = askingForMore(denial, key, request);
    return decision && later(numbersOf(request, decision, 0, 0), decision.reason, name, key, elapsedMs);
  }

  /** Called before the store is asked; returns what takes a denial. */
  begin(): (key: string, denied: Denied) => void {
    const askedAtMs = performance.now();
    return (key, denied) => this.#note(key, denied, askedAtMs);
  }

  #note(key: string, denied: Denied, askedAtMs: number): void {
    const { reason, retryAfterMs } = denied.decision;
    // the next denial will tell of the block that this one has set
    if (reason === "limited" && (this.#limit.blockForMs ?? 0) > 0) return;
    this.#byKey.delete(key);
    if (this.#byKey.size >= this.#bounds.maxKeys) {
      const [oldest] = this.#byKey.keys();
      if (oldest !== undefined) this.#byKey.delete(oldest);
    }
    const untilMs = askedAtMs + Math.min(retryAfterMs, this.#bounds.maxMs);
    const numbers = numbersOf(denied.request, denied.decision, performance.now(), untilMs);
    this.#byKey.set(key, { ...denied, limit: this.#limit, reason, numbers });
  }
}

/** The denial of a call that asks for more than one that was denied, or for as much in another way, if it can be told. */
function askingForMore(
  { limit, request, outcome, decision }: Denial,
  key: string,
  asked: Request,
): Decision | undefined {
  const more = asked.least + asked.reserve - (request.least + request.reserve);
  const isLimited = decision.reason === "limited" && (more === 0 || limit.kernel.foresees === true);
  if (more < 0 || !(isLimited || decision.reason === "never")) return undefined;
  return readDecision(limit.name, limit, key, asked, outcome, false);
}

function numbersOf(
  { least, reserve }: Request,
  { cost, decidedAtMs, retryAfterMs, resetAfterMs, remaining, limit, windowMs }: Decision,
  heardAtMs: number,
  untilMs: number,
): DenialNumbers {
  const needed = least + reserve;
  return [
    heardAtMs,
    untilMs,
    needed,
    cost,
    decidedAtMs,
    retryAfterMs,
    resetAfterMs,
    remaining,
    limit,
    windowMs,
  ];
}

/** The same denial, so much later. */
function later<Name extends string>(
  numbers: DenialNumbers,
  reason: Decision["reason"],
  name: Name,
  key: string,
  elapsedMs: number,
): Decision<Name> {
  return {
    allowed: false,
    limit: numbers[8],
    windowMs: numbers[9],
    remaining: numbers[7],
    retryAfterMs: numbers[5] - elapsedMs,
    resetAfterMs: Math.max(0, numbers[6] - elapsedMs),
    delayMs: 0,
    cost: numbers[3],
    taken: 0,
    name,
    key,
    decidedAtMs: numbers[4] + elapsedMs,
    reason,
    source: "deny-cache",
    receipt: "",
  };
}

/** This process has given something back at a key: it may be denied no longer. */
export function forgetDenial(store: Store, { space }: Limit, key: string): void {
  knownTo.get(store)?.get(space)?.delete(key);
}
