import { MemoryTable } from "./memory-table.js";
import type { Limit } from "./store.js";

/** When a block ends, and how long it was made. */
export interface Block {
  readonly untilMs: number;
  readonly spanMs: number;
}

/** Which keys are blocked, in memory. */
export class MemoryBlocks {
  readonly #tables = new Map<string, MemoryTable<Block>>();

  tables(): Iterable<MemoryTable<Block>> {
    return this.#tables.values();
  }

  /** The block of a key at `nowMs`; one that was set when the clock was ahead lasts no longer than its span. */
  find({ name }: Limit, key: string, nowMs: number): Block | undefined {
    const table = this.#tables.get(name);
    const row = table?.find(key);
    const block = row === undefined ? undefined : table?.state(row);
    if (block === undefined || block.untilMs <= nowMs) return undefined;
    return block.untilMs - nowMs > block.spanMs ? { ...block, untilMs: nowMs + block.spanMs } : block;
  }

  /** Whether a key has a block, be it over. */
  has({ name }: Limit, key: string): boolean {
    return this.#tables.get(name)?.find(key) !== undefined;
  }

  /** Sets or replaces the block of a key. */
  set({ name }: Limit, key: string, block: Block): void {
    const table = this.#tables.get(name) ?? new MemoryTable<Block>();
    this.#tables.set(name, table);
    const row = table.find(key);
    if (row === undefined) table.add(key, block, block.untilMs);
    else table.update(row, block, block.untilMs);
  }

  delete({ name }: Limit, key: string): void {
    const table = this.#tables.get(name);
    const row = table?.find(key);
    if (row !== undefined) table?.delete(row);
  }
}
