import type { Numbers } from "./algorithm-definition.js";

const FIRST_ROWS = 16;

/** Rows of equally many numbers in one typed array: 8 bytes a number, and nothing for a garbage collector to visit. */
export class NumberRows {
  readonly width: number;
  #cells: Float64Array;

  constructor(width: number) {
    this.width = width;
    this.#cells = new Float64Array(width * FIRST_ROWS);
  }

  get(row: number): Numbers {
    const cells = this.#cells;
    const start = row * this.width;
    // a literal takes half the room, and a fraction of the time, of a list that grows
    const first = cells[start] ?? 0;
    const second = cells[start + 1] ?? 0;
    const third = cells[start + 2] ?? 0;
    if (this.width === 3) return [first, second, third];
    if (this.width === 4) return [first, second, third, cells[start + 3] ?? 0];
    return Array.from(cells.subarray(start, start + this.width));
  }

  set(row: number, numbers: Numbers): void {
    const start = row * this.width;
    if (start >= this.#cells.length) this.#cells = widened(this.#cells);
    for (let i = 0; i < this.width; i++) this.#cells[start + i] = numbers[i] ?? 0;
  }
}

/** The same numbers, and as much room again. */
export function widened(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(numbers.length * 2);
  wider.set(numbers);
  return wider;
}
