import type { MemoryTable } from "./memory-table.js";
import { unrefTimer } from "./unref-timer.js";

/** Between two passes over all rows. */
const PASS_EVERY_MS = 3_000;
/** Between two slices of one pass, so that a million keys that lapse at once block nobody. */
const SLICE_EVERY_MS = 5;
const DELETED_PER_SLICE = 4_000;
const CHECKED_PER_SLICE = 500_000;
/** What a caller who needs room waits for. */
const CHECKED_FOR_ROOM = 1_000;

/** Deletes lapsed rows a slice at a time while there are rows; its timer never keeps the process alive. */
export class Sweeper {
  readonly #tables: () => readonly MemoryTable<unknown>[];
  readonly #nowMs: () => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tableIndex = 0;
  #row = 0;

  constructor(tables: () => readonly MemoryTable<unknown>[], nowMs: () => number) {
    this.#tables = tables;
    this.#nowMs = nowMs;
  }

  /** Starts sweeping, if it is not under way. */
  start(): void {
    if (this.#timer === undefined) this.#schedule(PASS_EVERY_MS);
  }

  /** Looks over some rows at once; returns how many it deleted. */
  sweepSome(): number {
    return this.#slice(CHECKED_FOR_ROOM, DELETED_PER_SLICE).deleted;
  }

  #schedule(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const passDone = this.#sweepSlice();
      if (this.#tables().some((table) => table.size > 0))
        this.#schedule(passDone ? PASS_EVERY_MS : SLICE_EVERY_MS);
    }, delayMs);
    unrefTimer(this.#timer);
  }

  /** True when a pass is done, or cannot be made: a caller's clock may fail, and its next call will say so. */
  #sweepSlice(): boolean {
    try {
      return this.#slice(CHECKED_PER_SLICE, DELETED_PER_SLICE).passDone;
    } catch {
      return true;
    }
  }

  /** Goes on from where the last slice ended, at most once around. */
  #slice(maxChecked: number, maxDeleted: number): { deleted: number; passDone: boolean } {
    const tables = this.#tables();
    const nowMs = this.#nowMs();
    let deleted = 0;
    for (let checked = 0; checked < maxChecked && deleted < maxDeleted; checked++) {
      const table = tables[this.#tableIndex];
      if (table === undefined) {
        this.#tableIndex = 0;
        this.#row = 0;
        return { deleted, passDone: true };
      }
      if (this.#row >= table.size) {
        this.#tableIndex++;
        this.#row = 0;
      } else if (table.lapsesAtMs(this.#row) <= nowMs) {
        // the last row takes its place and is looked at next
        table.delete(this.#row);
        deleted++;
      } else {
        this.#row++;
      }
    }
    return { deleted, passDone: false };
  }
}
