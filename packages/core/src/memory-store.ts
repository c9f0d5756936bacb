import type { Ask, Change, Verdict } from "./algorithm-definition.js";
import { askOf, looking } from "./ask.js";
import { type Clock, monotonicClock, readClock } from "./clock.js";
import { InvalidPolicyError } from "./errors.js";
import { evictLeastUsed } from "./eviction.js";
import { checkKnown } from "./known-options.js";
import { type Block, MemoryBlocks } from "./memory-blocks.js";
import { MemoryPolicies } from "./memory-policies.js";
import { MemoryStates } from "./memory-states.js";
import type { MemoryTable } from "./memory-table.js";
import { perProcess } from "./per-process.js";
import {
  HEALTHY,
  type KeyPolicy,
  type Limit,
  type Outcome,
  type Question,
  type Store,
  type StoreHealth,
} from "./store.js";
import { Sweeper } from "./sweeper.js";
import { isWhole, shown } from "./whole.js";

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** How many keys it holds at most, from 1; default 1,000,000. */
  maxKeys?: number | undefined;
  /** Tells milliseconds since the epoch; for tests and replays. Default: the epoch at start plus monotonic time. */
  clock?: Clock | undefined;
}

/** A store in this process's memory. */
export interface MemoryStore extends Store {
  /** How many keys it holds. */
  readonly size: number;
}

const KNOWN_OPTIONS: readonly string[] = ["maxKeys", "clock"] satisfies (keyof MemoryStoreOptions)[];
const DEFAULT_MAX_KEYS = 1_000_000;

/** What a kernel makes of a question, under the policy that holds for the key; a blocked key is only looked at. */
interface Draft {
  readonly question: Question;
  readonly table: MemoryTable<unknown>;
  readonly verdict: Verdict<unknown>;
  readonly block: Block | undefined;
}

/**
 * Keeps state in memory, for one process.
 *
 * It holds at most `maxKeys`: when full, lapsed keys go first, then, by sampling, those that have used the smallest
 * share of their limit. Idle keys vanish without traffic, and no timer keeps the process alive.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@sluice/core";
 *
 * const store = memoryStore({ maxKeys: 10_000 });
 * console.log(store.size); // 0
 * ```
 * @throws InvalidPolicyError
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  checkKnown("memory store", options, KNOWN_OPTIONS);
  const { maxKeys = DEFAULT_MAX_KEYS, clock } = options;
  if (!isWhole(maxKeys, 1)) {
    throw new InvalidPolicyError(
      `memory store: maxKeys must be a whole number from 1, got ${shown(maxKeys)}`,
    );
  }
  if (clock !== undefined && typeof clock !== "function") {
    throw new InvalidPolicyError(`memory store: clock must be a function, got ${shown(clock)}`);
  }
  // our own clock tells whole milliseconds
  return new TableStore(
    maxKeys,
    clock === undefined ? monotonicClock() : () => readClock("memory store", clock),
  );
}

/** The store of every limiter that names none. */
export function defaultMemoryStore(): MemoryStore {
  return perProcess("memory-store", 1, () => memoryStore());
}

class TableStore implements MemoryStore {
  readonly isLocal = true;
  readonly multiKey = true;
  readonly #maxKeys: number;
  readonly #nowMs: () => number;
  readonly #states = new MemoryStates((nowMs) => this.#beforeAdd(nowMs));
  readonly #blocks = new MemoryBlocks();
  readonly #policies = new MemoryPolicies();
  readonly #sweeper: Sweeper;

  constructor(maxKeys: number, nowMs: () => number) {
    this.#maxKeys = maxKeys;
    this.#nowMs = nowMs;
    this.#sweeper = new Sweeper(() => [...this.#states.tables(), ...this.#blocks.tables()], nowMs);
  }

  get size(): number {
    let size = 0;
    for (const table of this.#states.tables()) size += table.size;
    for (const table of this.#blocks.tables()) size += table.size;
    return size;
  }

  health(): StoreHealth {
    return HEALTHY;
  }

  decide(limit: Limit, key: string, ask: Ask): Outcome {
    const nowMs = this.#nowMs();
    if (limit.perKey || limit.blockForMs !== undefined) {
      return this.#conclude(this.#draft({ limit, key, ask }, nowMs), nowMs);
    }
    // the same for a limit that has nothing but its states, without a draft and with one look-up: half the time
    const table = this.#states.of(limit);
    const row = table.find(key);
    const verdict = limit.kernel.decide(table.liveState(row, nowMs), nowMs, ask, limit.params);
    if (ask.commit) this.#states.commit(limit, table, key, row, verdict, nowMs);
    return {
      taken: verdict.taken,
      nowMs,
      facts: verdict.facts,
      blockedUntilMs: undefined,
      params: undefined,
    };
  }

  decideAll(questions: readonly Question[]): readonly Outcome[] {
    const nowMs = this.#nowMs();
    const drafts = questions.map((question) => this.#draft(question, nowMs));
    const allowed = drafts.every(({ verdict, block }) => verdict.taken >= 0 && block === undefined);
    return drafts.map((draft) => {
      const { question, table, verdict, block } = draft;
      const isCharged = verdict.taken > 0 && question.ask.commit && block === undefined;
      if (allowed || !isCharged) return this.#conclude(draft, nowMs);
      // others deny: it is only told what it would have granted
      const look = this.#draft(looking(question), nowMs);
      this.#states.mend(question.limit, table, table.find(question.key), look.verdict.state, nowMs);
      return this.#conclude(look, nowMs);
    });
  }

  adjust(limit: Limit, key: string, change: Change): Outcome {
    const nowMs = this.#nowMs();
    const effective = this.#policies.effective(limit, key);
    const { kernel, params } = effective;
    const table = this.#states.of(effective);
    const row = table.find(key);
    const { state, facts, refused } = kernel.adjust(table.liveState(row, nowMs), nowMs, change, params);
    if (!refused) this.#states.write(effective, table, key, row, state, nowMs);
    return { taken: refused ? -1 : 0, nowMs, facts, params: limit.perKey ? params : undefined };
  }

  forget(limit: Limit, key: string, keepBlock: boolean): void {
    this.#states.forget(limit, key);
    if (!keepBlock) this.#blocks.delete(limit, key);
  }

  block(limit: Limit, key: string, spanMs: number): void {
    if (spanMs === 0) this.#blocks.delete(limit, key);
    else this.#setBlock(limit, key, spanMs, this.#nowMs());
  }

  setPolicy(limit: Limit, key: string, policy: KeyPolicy | undefined): void {
    this.#policies.set(limit, key, policy);
  }

  getPolicy(limit: Limit, key: string): KeyPolicy["fields"] | undefined {
    return this.#policies.get(limit, key)?.fields;
  }

  #draft({ limit: asked, key, ask: request }: Question, nowMs: number): Draft {
    const limit = this.#policies.effective(asked, key);
    const block = limit.blockForMs === undefined ? undefined : this.#blocks.find(limit, key, nowMs);
    const ask = limit.perKey ? askOf(request, limit.limit) : request;
    const table = this.#states.of(limit);
    const state = table.liveState(table.find(key), nowMs);
    const asIs = block === undefined ? ask : { ...ask, commit: false };
    const verdict = limit.kernel.decide(state, nowMs, asIs, limit.params);
    return { question: { limit, key, ask }, table, block, verdict };
  }

  /** Writes what follows from a draft, and tells it. */
  #conclude({ question, table, block, verdict }: Draft, nowMs: number): Outcome {
    const { limit, key, ask } = question;
    const { taken, facts } = verdict;
    const params = limit.perKey ? limit.params : undefined;
    if (block !== undefined) {
      if (ask.commit) {
        this.#blocks.set(limit, key, block);
        this.#states.commit(limit, table, key, table.find(key), { ...verdict, taken: -1 }, nowMs);
      }
      return { taken: taken < 0 ? -3 : -2, nowMs, facts, blockedUntilMs: block.untilMs, params };
    }
    if (ask.commit) this.#states.commit(limit, table, key, table.find(key), verdict, nowMs);
    const blocks = ask.commit && taken < 0 && this.#isToBlock(question, nowMs);
    const blockedUntilMs = blocks ? this.#setBlock(limit, key, limit.blockForMs ?? 0, nowMs) : undefined;
    return { taken, nowMs, facts, blockedUntilMs, params };
  }

  /** Whether a denial blocks: not one for the sake of a reserve, nor for asking for nothing, or more than there ever is. */
  #isToBlock({ limit, key, ask }: Question, nowMs: number): boolean {
    if ((limit.blockForMs ?? 0) === 0 || ask.cost === 0) return false;
    if (ask.least + ask.reserve > limit.limit) return false;
    if (ask.reserve === 0) return true;
    const table = this.#states.of(limit);
    const state = table.liveState(table.find(key), nowMs);
    return limit.kernel.decide(state, nowMs, { ...ask, commit: false, reserve: 0 }, limit.params).taken < 0;
  }

  #setBlock(limit: Limit, key: string, spanMs: number, nowMs: number): number {
    const untilMs = nowMs + spanMs;
    if (!this.#blocks.has(limit, key)) this.#beforeAdd(nowMs);
    this.#blocks.set(limit, key, { untilMs, spanMs });
    return untilMs;
  }

  /** Makes room where there is none, and sees to it that what is added will be swept. */
  #beforeAdd(nowMs: number): void {
    this.#sweeper.start();
    if (this.size < this.#maxKeys || this.#sweeper.sweepSome(nowMs) > 0) return;
    evictLeastUsed([...this.#states.tables()], [...this.#blocks.tables()], nowMs);
  }
}
