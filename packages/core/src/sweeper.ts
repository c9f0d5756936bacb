import type { MemoryTable } from "./memory-table.js";
import { outsideCallers } from "./outside-callers.js";
import { unrefTimer } from "./unref-timer.js";

/** Between two passes over all rows. */
const PASS_EVERY_MS = 3_000;
/** Between two slices of one pass, so that a million keys that lapse at once block nobody. */
const SLICE_EVERY_MS = 4;
const DELETED_PER_SLICE = 2_000;
const CHECKED_PER_SLICE = 500_000;
/** What a caller who needs room waits for. */
const CHECKED_FOR_ROOM = 1_000;

/** What was done of a pass over all rows. */
interface Slice {
  readonly checked: number;
  readonly deleted: number;
  readonly passDone: boolean;
}

/** Deletes lapsed rows a slice at a time while there are rows; its timer never keeps the process alive. */
export class Sweeper {
  readonly #tables: () => readonly MemoryTable<unknown>[];
  readonly #nowMs: () => number;
  #isUnderWay = false;
  #tableIndex = 0;
  #row = 0;

  constructor(tables: () => readonly MemoryTable<unknown>[], nowMs: () => number) {
    this.#tables = tables;
    this.#nowMs = nowMs;
  }

  /** Starts sweeping, if it is not under way. */
  start(): void {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    // or the timers would hold on to the async context of the caller whose key was the first
    outsideCallers(() => this.#schedule(PASS_EVERY_MS));
  }

  /** Looks over some rows at once, those that lapsed by `nowMs`; returns how many it deleted. */
  sweepSome(nowMs: number): number {
    const { deleted, checked, passDone } = this.#slice(nowMs, CHECKED_FOR_ROOM);
    if (deleted > 0 || !passDone) return deleted;
    // what lapsed may lie before the row at which it began
    return this.#slice(nowMs, CHECKED_FOR_ROOM - checked).deleted;
  }

  #schedule(delayMs: number): void {
    const timer = setTimeout(() => {
      const passDone = this.#sweepSlice();
      this.#isUnderWay = this.#tables().some(({ size }) => size > 0);
      if (this.#isUnderWay) this.#schedule(passDone ? PASS_EVERY_MS : SLICE_EVERY_MS);
    }, delayMs);
    unrefTimer(timer);
  }

  /** True when a pass is done, or cannot be made: a caller's clock may fail, and its next call will say so. */
  #sweepSlice(): boolean {
    try {
      return this.#slice(this.#nowMs(), CHECKED_PER_SLICE).passDone;
    } catch {
      return true;
    }
  }

  /** Goes on from where the last slice ended, up to the last row of all. */
  #slice(nowMs: number, maxChecked: number): Slice {
    const tables = this.#tables();
    let deleted = 0;
    let checked = 0;
    for (; checked < maxChecked && deleted < DELETED_PER_SLICE; checked++) {
      const table = tables[this.#tableIndex];
      if (table === undefined) {
        this.#tableIndex = 0;
        this.#row = 0;
        return { checked, deleted, passDone: true };
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
    return { checked, deleted, passDone: false };
  }
}
