import { afterThisTurn } from "./after-this-turn.js";
import type { Outcome, Question } from "./store.js";

/** A question that waits to be sent with others. */
export interface Pending {
  readonly question: Question;
  readonly signal: AbortSignal | undefined;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** After so many questions in a row that waited in vain for company, one that finds nothing under way goes at once. */
const ALONE_IN_A_ROW = 16;

/** What a batcher needs of the store that it is for. */
export interface BatcherParts {
  readonly maxSize: number;
  send(batch: readonly Pending[], clockMs: number): void;
  /** Sends one that need not wait. */
  askAlone(question: Question, clockMs: number, signal: AbortSignal | undefined): Promise<Outcome>;
  /** Whether everything that was sent has been answered. */
  isIdle(): boolean;
}

/** Gathers the questions of one turn of the event loop, and sends them together. */
export class Batcher {
  readonly #parts: BatcherParts;
  #pending: Pending[] = [];
  /** Of those that are pending. */
  #clockMs = 0;
  #isDue = false;
  /** Questions in a row that were alone in their turn. */
  #alone = 0;

  constructor(parts: BatcherParts) {
    this.#parts = parts;
  }

  /** `clockMs` is the time at which it is to be decided: those of one time go together. */
  ask(question: Question, clockMs: number, signal?: AbortSignal): Promise<Outcome> {
    if (this.#alone >= ALONE_IN_A_ROW && this.#pending.length === 0 && this.#parts.isIdle()) {
      return this.#parts.askAlone(question, clockMs, signal);
    }
    return new Promise((resolve, reject) => {
      if (clockMs !== this.#clockMs) this.flush();
      this.#clockMs = clockMs;
      this.#pending.push({ question, signal, resolve, reject });
      if (this.#pending.length === this.#parts.maxSize) {
        this.flush();
      } else if (!this.#isDue) {
        this.#isDue = true;
        afterThisTurn(this.#flushDue);
      }
    });
  }

  readonly #flushDue = (): void => {
    this.#isDue = false;
    this.flush();
  };

  /** Sends what is pending, so that nothing that comes later goes before it. */
  flush(): void {
    if (this.#pending.length === 0) return;
    const batch = this.#pending;
    this.#pending = [];
    this.#alone = batch.length === 1 ? this.#alone + 1 : 0;
    this.#parts.send(batch, this.#clockMs);
  }
}
