/** A power of two. */
const PARTS = 32;

/**
 * Where the row of each key is. In parts, made as they are needed: V8 copies a whole map at once when it grows or
 * shrinks, and one of a million keys stands still for tens of milliseconds.
 */
export class KeyIndex {
  readonly #parts: (Map<string, number> | undefined)[] = new Array(PARTS).fill(undefined);

  get(key: string): number | undefined {
    return this.#parts[partOf(key)]?.get(key);
  }

  set(key: string, row: number): void {
    const part = partOf(key);
    const rows = this.#parts[part] ?? new Map<string, number>();
    this.#parts[part] = rows;
    rows.set(key, row);
  }

  delete(key: string): void {
    this.#parts[partOf(key)]?.delete(key);
  }
}

/**
 * By its length and three of its characters: a hash of all of them would take longer than the look-up. Where all keys
 * fall into one part, it is as if there were one map.
 */
function partOf(key: string): number {
  const { length } = key;
  const sum = key.charCodeAt(length - 1) * 7 + key.charCodeAt(length >> 1) * 3 + key.charCodeAt(length - 2);
  return (sum + length) & (PARTS - 1);
}
