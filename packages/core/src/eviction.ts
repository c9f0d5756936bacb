import { LOOK } from "./ask.js";
import type { MemoryTable } from "./memory-table.js";

/** How many rows are sampled to choose the one that can best be forgotten. */
const SAMPLES = 16;

interface Sample {
  readonly table: MemoryTable<unknown>;
  readonly row: number;
}

/**
 * Forgets, of some rows that are chosen at random, the one that has used the smallest share of its limit. So a flood
 * of keys that are used once is what goes, and who is limited stays limited. A block counts as a limit that is used up.
 */
export function evictLeastUsed(
  states: readonly MemoryTable<unknown>[],
  blocks: readonly MemoryTable<unknown>[],
  nowMs: number,
): void {
  const tables = [...states, ...blocks];
  const rows = tables.reduce((sum, { size }) => sum + size, 0);
  let leastUsed: Sample | undefined;
  let leastShare = Number.POSITIVE_INFINITY;
  for (let i = 0; i < SAMPLES; i++) {
    const sample = rowAt(tables, Math.floor(Math.random() * rows));
    if (sample === undefined) return;
    const share = usedShare(sample, nowMs);
    if (share >= leastShare) continue;
    leastUsed = sample;
    leastShare = share;
  }
  leastUsed?.table.delete(leastUsed.row);
}

/** The row at an index into the rows of all tables, one table after the other. */
function rowAt(tables: readonly MemoryTable<unknown>[], index: number): Sample | undefined {
  let row = index;
  for (const table of tables) {
    if (row < table.size) return { table, row };
    row -= table.size;
  }
  return undefined;
}

/** 0 for an unused limit, 1 for one that is used up. */
function usedShare({ table, row }: Sample, nowMs: number): number {
  const limit = table.limit(row);
  // a block is of none
  if (limit === undefined) return 1;
  const { facts } = limit.kernel.decide(table.liveState(row, nowMs), nowMs, LOOK, limit.params);
  const { remaining } = limit.kernel.report(facts, nowMs, 0, LOOK, limit.params);
  return limit.limit === 0 ? 1 : 1 - remaining / limit.limit;
}
