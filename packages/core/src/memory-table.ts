import type { Limit } from "./store.js";

/**
 * The states of one limit in memory, by key, in columns: the dates at which they lapse lie side by side in a typed
 * array, so that a sweep over a million of them takes a millisecond. The order of rows means nothing: a deleted row
 * is filled with the last. Beside a state stands the limit under which it was written, where there is one: the policy
 * of a plan, or of the key.
 */
export class MemoryTable<State> {
  readonly #rows = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #states: State[] = [];
  readonly #limits: (Limit | undefined)[] = [];
  #lapseAtMs = new Float64Array(16);

  get size(): number {
    return this.#keys.length;
  }

  /** The row of a key; undefined where there is none. */
  find(key: string): number | undefined {
    return this.#rows.get(key);
  }

  state(row: number): State | undefined {
    return this.#states[row];
  }

  /** The state while it says more than a missing one would. */
  liveState(row: number | undefined, nowMs: number): State | undefined {
    return row === undefined || this.lapsesAtMs(row) <= nowMs ? undefined : this.#states[row];
  }

  limit(row: number): Limit | undefined {
    return this.#limits[row];
  }

  lapsesAtMs(row: number): number {
    return this.#lapseAtMs[row] ?? 0;
  }

  add(key: string, state: State, lapsesAtMs: number, limit?: Limit): void {
    const row = this.#keys.length;
    if (row === this.#lapseAtMs.length) {
      const wider = new Float64Array(row * 2);
      wider.set(this.#lapseAtMs);
      this.#lapseAtMs = wider;
    }
    this.#rows.set(key, row);
    this.#keys.push(key);
    this.#states.push(state);
    this.#limits.push(limit);
    this.#lapseAtMs[row] = lapsesAtMs;
  }

  update(row: number, state: State, lapsesAtMs: number, limit?: Limit): void {
    this.#states[row] = state;
    this.#limits[row] = limit;
    this.#lapseAtMs[row] = lapsesAtMs;
  }

  delete(row: number): void {
    const key = this.#keys[row];
    if (key === undefined) return;
    const lastKey = this.#keys.pop();
    const lastState = this.#states.pop();
    const lastLimit = this.#limits.pop();
    if (lastKey === undefined || lastState === undefined) return;
    this.#rows.delete(key);
    if (lastKey === key) return;
    this.#keys[row] = lastKey;
    this.#states[row] = lastState;
    this.#limits[row] = lastLimit;
    this.#lapseAtMs[row] = this.#lapseAtMs[this.#keys.length] ?? 0;
    this.#rows.set(lastKey, row);
  }
}
