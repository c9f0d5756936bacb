import { KeyIndex } from "./key-index.js";
import { widened } from "./number-rows.js";
import { type Column, PlainColumn } from "./state-column.js";
import type { Limit } from "./store.js";

/**
 * The states of one limit in memory, by key, in columns: the dates at which they lapse lie side by side in a typed
 * array, so that a sweep over a million of them takes a millisecond. The order of rows means nothing: a deleted row
 * is filled with the last. Beside a state stands the limit under which it was written, where there is one: the policy
 * of a plan, or of the key.
 */
export class MemoryTable<State> {
  readonly #rows = new KeyIndex();
  readonly #keys: string[] = [];
  readonly #states: Column<State>;
  readonly #limits: (Limit | undefined)[] = [];
  #lapseAtMs = new Float64Array(16);

  constructor(states: Column<State> = new PlainColumn()) {
    this.#states = states;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** The row of a key; undefined where there is none. */
  find(key: string): number | undefined {
    return this.#rows.get(key);
  }

  state(row: number): State | undefined {
    return this.#states.get(row);
  }

  /** The state while it says more than a missing one would. */
  liveState(row: number | undefined, nowMs: number): State | undefined {
    return row === undefined || this.lapsesAtMs(row) <= nowMs ? undefined : this.#states.get(row);
  }

  limit(row: number): Limit | undefined {
    return this.#limits[row];
  }

  lapsesAtMs(row: number): number {
    return this.#lapseAtMs[row] ?? 0;
  }

  add(key: string, state: State, lapsesAtMs: number, limit?: Limit): void {
    const row = this.#keys.length;
    if (row === this.#lapseAtMs.length) this.#lapseAtMs = widened(this.#lapseAtMs);
    this.#rows.set(key, row);
    this.#keys.push(key);
    this.update(row, state, lapsesAtMs, limit);
  }

  update(row: number, state: State, lapsesAtMs: number, limit?: Limit): void {
    this.#states.set(row, state);
    this.prolong(row, lapsesAtMs, limit);
  }

  /** Leaves the state of a row as it is. */
  prolong(row: number, lapsesAtMs: number, limit?: Limit): void {
    this.#limits[row] = limit;
    this.#lapseAtMs[row] = lapsesAtMs;
  }

  delete(row: number): void {
    const last = this.#keys.length - 1;
    const key = this.#keys[row];
    const lastKey = this.#keys[last];
    const lastState = this.#states.get(last);
    if (key === undefined || lastKey === undefined || lastState === undefined) return;
    this.#rows.delete(key);
    if (row !== last) {
      this.#keys[row] = lastKey;
      this.#rows.set(lastKey, row);
      this.update(row, lastState, this.lapsesAtMs(last), this.#limits[last]);
    }
    this.#keys.pop();
    this.#limits.pop();
    this.#states.pop();
  }
}
