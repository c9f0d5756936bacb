import { afterThisTurn } from "./after-this-turn.js";
import type { Outcome, Question } from "./store.js";

/** A question that waits to be sent with others. */
export interface Pending {
  readonly question: Question;
  readonly signal: AbortSignal | undefined;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Gathers the questions of one turn of the event loop, and sends them together. */
export class Batcher {
  readonly #maxSize: number;
  readonly #send: (batch: readonly Pending[], clockMs: number) => void;
  #pending: Pending[] = [];
  /** Of those that are pending. */
  #clockMs = 0;
  #isDue = false;

  constructor(maxSize: number, send: (batch: readonly Pending[], clockMs: number) => void) {
    this.#maxSize = maxSize;
    this.#send = send;
  }

  /** `clockMs` is the time at which it is to be decided: those of one time go together. */
  ask(question: Question, clockMs: number, signal?: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (clockMs !== this.#clockMs) this.flush();
      this.#clockMs = clockMs;
      this.#pending.push({ question, signal, resolve, reject });
      if (this.#pending.length === this.#maxSize) {
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
    this.#send(batch, this.#clockMs);
  }
}
