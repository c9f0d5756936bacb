import type { Verdict } from "./algorithm-definition.js";
import { MemoryTable } from "./memory-table.js";
import { StateColumn } from "./state-column.js";
import type { Limit } from "./store.js";

/**
 * What the keys of each limit have used, in memory. Whoever looks a row up passes it on, so that a call takes one look-up;
 * it holds until something is added or deleted.
 */
export class MemoryStates {
  readonly #tables = new Map<string, MemoryTable<unknown>>();
  readonly #beforeAdd: (nowMs: number) => void;

  /** `beforeAdd` is told of each key that comes. */
  constructor(beforeAdd: (nowMs: number) => void) {
    this.#beforeAdd = beforeAdd;
  }

  tables(): Iterable<MemoryTable<unknown>> {
    return this.#tables.values();
  }

  /** Where the states of a limit lie. */
  of({ space }: Limit): MemoryTable<unknown> {
    return this.#tables.get(space) ?? this.#begun(space);
  }

  /** Writes what follows from a call that was to be charged. */
  commit(
    limit: Limit,
    table: MemoryTable<unknown>,
    key: string,
    row: number | undefined,
    { taken, redated, state }: Verdict<unknown>,
    nowMs: number,
  ): void {
    if (taken > 0 || (redated && taken < 0)) this.write(limit, table, key, row, state, nowMs);
    else this.mend(limit, table, row, state, nowMs);
  }

  write(
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
      table.update(row, state, nowMs + lifeMs, limit);
    } else {
      this.#beforeAdd(nowMs);
      table.add(key, state, nowMs + lifeMs, limit);
    }
  }

  /** A policy with a longer life may meet a state that was written under a shorter one. */
  mend(
    limit: Limit,
    table: MemoryTable<unknown>,
    row: number | undefined,
    state: unknown,
    nowMs: number,
  ): void {
    if (row === undefined || table.lapsesAtMs(row) <= nowMs) return;
    const lapsesAtMs = nowMs + limit.kernel.lifeMs(state, nowMs, limit.params);
    if (table.lapsesAtMs(row) < lapsesAtMs) table.prolong(row, lapsesAtMs, limit);
  }

  forget({ space }: Limit, key: string): void {
    const table = this.#tables.get(space);
    const row = table?.find(key);
    if (row !== undefined) table?.delete(row);
  }

  #begun(space: string): MemoryTable<unknown> {
    const table = new MemoryTable<unknown>(new StateColumn());
    this.#tables.set(space, table);
    return table;
  }
}
