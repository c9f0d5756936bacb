import { perProcess } from "./per-process.js";

/** Receipts are numbered one after the other, so a set of them packs into bits; a page holds this many. */
const PAGE_BITS = 1024;
const WORD_BITS = 32;
/** How many pages a call looks over for ones that have lapsed: more than the one it may add, so they cannot pile up. */
const SWEPT_PER_CALL = 2;

interface Page {
  readonly words: Uint32Array;
  /** When the last receipt on the page has lapsed, by `performance.now()`. */
  lapsesAtMs: number;
}

/**
 * Which receipts have been refunded or settled in this process, so that a receipt works once.
 *
 * A receipt matters only as long as the grant that it stands for, so each is remembered for that long. A bit for
 * each receipt that was issued is less than a string for each that came back.
 */
export class SpentReceipts {
  readonly #pages = new Map<string, Page>();
  #sweep: Iterator<[string, Page]> = this.#pages.entries();

  /** Marks a receipt as spent for `lifeMs`; false when it was already. */
  spend(issuer: string, serial: number, lifeMs: number): boolean {
    const nowMs = performance.now();
    this.#dropLapsed(nowMs);
    const id = pageId(issuer, serial);
    let page = this.#pages.get(id);
    if (page === undefined) {
      page = { words: new Uint32Array(PAGE_BITS / WORD_BITS), lapsesAtMs: 0 };
      this.#pages.set(id, page);
    }
    const [word, bit] = place(serial);
    const bits = page.words[word] ?? 0;
    if ((bits & bit) !== 0) return false;
    page.words[word] = bits | bit;
    page.lapsesAtMs = Math.max(page.lapsesAtMs, nowMs + lifeMs);
    return true;
  }

  /** Remembers a spent receipt for `lifeMs` more, where that is longer. */
  keep(issuer: string, serial: number, lifeMs: number): void {
    const page = this.#pages.get(pageId(issuer, serial));
    if (page !== undefined) page.lapsesAtMs = Math.max(page.lapsesAtMs, performance.now() + lifeMs);
  }

  /** Makes a receipt good again: what it was spent on is known not to have happened. */
  restore(issuer: string, serial: number): void {
    const page = this.#pages.get(pageId(issuer, serial));
    if (page === undefined) return;
    const [word, bit] = place(serial);
    page.words[word] = (page.words[word] ?? 0) & ~bit;
  }

  #dropLapsed(nowMs: number): void {
    for (let i = 0; i < SWEPT_PER_CALL; i++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#pages.entries();
        return;
      }
      const [id, page] = next.value;
      if (page.lapsesAtMs <= nowMs) this.#pages.delete(id);
    }
  }
}

function pageId(issuer: string, serial: number): string {
  return `${issuer}.${Math.floor(serial / PAGE_BITS)}`;
}

function place(serial: number): [word: number, bit: number] {
  const index = serial % PAGE_BITS;
  return [Math.floor(index / WORD_BITS), 1 << (index % WORD_BITS)];
}

/** The one set of this process. */
export function spentReceipts(): SpentReceipts {
  return perProcess("spent-receipts", 1, () => new SpentReceipts());
}
