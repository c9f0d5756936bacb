/**
 * The states of one limit in memory, by key, in columns: the dates at which they lapse lie side by side in a typed
 * array, so that a sweep over a million of them takes a millisecond. The order of rows means nothing: a deleted row
 * is filled with the last.
 */
export class MemoryTable<State> {
  readonly #rows = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #states: State[] = [];
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

  lapsesAtMs(row: number): number {
    return this.#lapseAtMs[row] ?? 0;
  }

  add(key: string, state: State, lapsesAtMs: number): void {
    const row = this.#keys.length;
    if (row === this.#lapseAtMs.length) {
      const wider = new Float64Array(row * 2);
      wider.set(this.#lapseAtMs);
      this.#lapseAtMs = wider;
    }
    this.#rows.set(key, row);
    this.#keys.push(key);
    this.#states.push(state);
    this.#lapseAtMs[row] = lapsesAtMs;
  }

  update(row: number, state: State, lapsesAtMs: number): void {
    this.#states[row] = state;
    this.#lapseAtMs[row] = lapsesAtMs;
  }

  delete(row: number): void {
    const key = this.#keys[row];
    if (key === undefined) return;
    const lastKey = this.#keys.pop();
    const lastState = this.#states.pop();
    if (lastKey === undefined || lastState === undefined) return;
    this.#rows.delete(key);
    if (lastKey === key) return;
    this.#keys[row] = lastKey;
    this.#states[row] = lastState;
    this.#lapseAtMs[row] = this.#lapseAtMs[this.#keys.length] ?? 0;
    this.#rows.set(lastKey, row);
  }
}
