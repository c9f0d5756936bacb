import type { Ask, Change } from "./algorithm-definition.js";
import { LOOK } from "./ask.js";
import { type Clock, monotonicClock, readClock } from "./clock.js";
import { InvalidPolicyError } from "./errors.js";
import { checkKnown } from "./known-options.js";
import { MemoryTable } from "./memory-table.js";
import { perProcess } from "./per-process.js";
import type { Limit, Outcome, Store, StoreHealth } from "./store.js";
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
/** How many rows a full store samples to choose the one that it can best forget. */
const EVICTION_SAMPLES = 16;

/** A limit's table, and the policy last used with it, by which a full store tells how much of it a key has used. */
interface Space {
  readonly table: MemoryTable<unknown>;
  limit: Limit;
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
  const { maxKeys = DEFAULT_MAX_KEYS, clock = monotonicClock() } = options;
  if (!isWhole(maxKeys, 1)) {
    throw new InvalidPolicyError(
      `memory store: maxKeys must be a whole number from 1, got ${shown(maxKeys)}`,
    );
  }
  if (typeof clock !== "function") {
    throw new InvalidPolicyError(`memory store: clock must be a function, got ${shown(clock)}`);
  }
  return new TableStore(maxKeys, clock);
}

/** The store of every limiter that names none. */
export function defaultMemoryStore(): MemoryStore {
  return perProcess("memory-store", 1, () => memoryStore());
}

class TableStore implements MemoryStore {
  readonly #maxKeys: number;
  readonly #clock: Clock;
  readonly #spaces = new Map<string, Space>();
  readonly #sweeper: Sweeper;

  constructor(maxKeys: number, clock: Clock) {
    this.#maxKeys = maxKeys;
    this.#clock = clock;
    this.#sweeper = new Sweeper(
      () => [...this.#spaces.values()].map(({ table }) => table),
      () => this.#nowMs(),
    );
  }

  get size(): number {
    let size = 0;
    for (const { table } of this.#spaces.values()) size += table.size;
    return size;
  }

  health(): StoreHealth {
    return { state: "closed" };
  }

  decide(limit: Limit, key: string, ask: Ask): Outcome {
    const nowMs = this.#nowMs();
    const table = this.#table(limit);
    const row = table.find(key);
    const state = liveState(table, row, nowMs);
    const { kernel, params } = limit;
    const verdict = kernel.decide(state, nowMs, ask, params);
    if (ask.commit) {
      if (verdict.taken > 0 || (verdict.redated && verdict.taken < 0)) {
        this.#write(limit, table, key, row, verdict.state, nowMs);
      } else if (row !== undefined && state !== undefined) {
        // a policy with a longer life may meet a state that was written under a shorter one
        const lapsesAtMs = nowMs + kernel.lifeMs(verdict.state, nowMs, params);
        if (table.lapsesAtMs(row) < lapsesAtMs) table.update(row, state, lapsesAtMs);
      }
    }
    return { taken: verdict.taken, nowMs, facts: verdict.facts };
  }

  adjust(limit: Limit, key: string, change: Change): Outcome {
    const nowMs = this.#nowMs();
    const table = this.#table(limit);
    const row = table.find(key);
    const { kernel, params } = limit;
    const { state, facts, refused } = kernel.adjust(liveState(table, row, nowMs), nowMs, change, params);
    if (refused) return { taken: -1, nowMs, facts };
    this.#write(limit, table, key, row, state, nowMs);
    return { taken: 0, nowMs, facts };
  }

  forget(limit: Limit, key: string): void {
    const table = this.#table(limit);
    const row = table.find(key);
    if (row !== undefined) table.delete(row);
  }

  #write(
    limit: Limit,
    table: MemoryTable<unknown>,
    key: string,
    row: number | undefined,
    state: unknown,
    nowMs: number,
  ): void {
    const lifeMs = limit.kernel.lifeMs(state, nowMs, limit.params);
    if (lifeMs <= 0) {
      if (row !== undefined) table.delete(row);
    } else if (row !== undefined) {
      table.update(row, state, nowMs + lifeMs);
    } else {
      if (this.size >= this.#maxKeys) this.#makeRoom(nowMs);
      table.add(key, state, nowMs + lifeMs);
      this.#sweeper.start();
    }
  }

  #table(limit: Limit): MemoryTable<unknown> {
    const space = this.#spaces.get(limit.space);
    if (space === undefined) {
      const table = new MemoryTable<unknown>();
      this.#spaces.set(limit.space, { table, limit });
      return table;
    }
    space.limit = limit;
    return space.table;
  }

  #makeRoom(nowMs: number): void {
    if (this.#sweeper.sweepSome() > 0) return;
    let leastUsed: { table: MemoryTable<unknown>; row: number; share: number } | undefined;
    for (let i = 0; i < EVICTION_SAMPLES; i++) {
      const sample = this.#randomRow();
      if (sample === undefined) return;
      const { space, row } = sample;
      const share = usedShare(space, row, nowMs);
      if (leastUsed === undefined || share < leastUsed.share) leastUsed = { table: space.table, row, share };
    }
    leastUsed?.table.delete(leastUsed.row);
  }

  #randomRow(): { space: Space; row: number } | undefined {
    let row = Math.floor(Math.random() * this.size);
    for (const space of this.#spaces.values()) {
      if (row < space.table.size) return { space, row };
      row -= space.table.size;
    }
    return undefined;
  }

  #nowMs(): number {
    return readClock("memory store", this.#clock);
  }
}

function liveState(table: MemoryTable<unknown>, row: number | undefined, nowMs: number): unknown {
  return row === undefined || table.lapsesAtMs(row) <= nowMs ? undefined : table.state(row);
}

function usedShare({ table, limit }: Space, row: number, nowMs: number): number {
  const { facts } = limit.kernel.decide(liveState(table, row, nowMs), nowMs, LOOK, limit.params);
  const { remaining } = limit.kernel.report(facts, nowMs, 0, LOOK, limit.params);
  return limit.limit === 0 ? 1 : 1 - remaining / limit.limit;
}
