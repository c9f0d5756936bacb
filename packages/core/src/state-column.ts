import type { Numbers } from "./algorithm-definition.js";
import { NumberRows } from "./number-rows.js";

/** What a table holds for each of its rows. */
export interface Column<Value> {
  get(row: number): Value | undefined;
  /** Sets a row, at most one behind the last. */
  set(row: number, value: Value): void;
  /** Takes the last row away. */
  pop(): void;
}

/** A column of anything. */
export class PlainColumn<Value> implements Column<Value> {
  readonly #values: Value[] = [];

  get(row: number): Value | undefined {
    return this.#values[row];
  }

  set(row: number, value: Value): void {
    this.#values[row] = value;
  }

  pop(): void {
    this.#values.pop();
  }
}

/** A column of states: in typed rows while each is equally many numbers, as those of most algorithms are. */
export class StateColumn implements Column<unknown> {
  #numbers: NumberRows | undefined;
  #states: unknown[] = [];
  #length = 0;

  get(row: number): unknown {
    if (row >= this.#length) return undefined;
    return this.#numbers === undefined ? this.#states[row] : this.#numbers.get(row);
  }

  set(row: number, state: unknown): void {
    if (this.#length === 0) this.#numbers = isNumbers(state) ? new NumberRows(state.length) : undefined;
    if (row === this.#length) this.#length++;
    if (this.#numbers === undefined) this.#states[row] = state;
    else if (isNumbers(state) && state.length === this.#numbers.width) this.#numbers.set(row, state);
    else this.#unpack(this.#numbers)[row] = state;
  }

  pop(): void {
    this.#length--;
    if (this.#numbers === undefined) this.#states.pop();
  }

  /** Somebody's states may be so many numbers at first, and something else later. */
  #unpack(numbers: NumberRows): unknown[] {
    this.#states = Array.from({ length: this.#length }, (_, row) => numbers.get(row));
    this.#numbers = undefined;
    return this.#states;
  }
}

function isNumbers(state: unknown): state is Numbers {
  if (!Array.isArray(state)) return false;
  for (let i = 0; i < state.length; i++) if (typeof state[i] !== "number") return false;
  return true;
}
