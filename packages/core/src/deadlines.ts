import { afterThisTurn } from "./after-this-turn.js";
import type { Countdown } from "./deadline.js";
import { LinkedQueue } from "./linked-queue.js";
import { outsideCallers } from "./outside-callers.js";
import { refTimer, unrefTimer } from "./unref-timer.js";

/** What a timer may be early by: it knows whole milliseconds. */
const EARLY_MS = 1;

/**
 * Deadlines of one length, which pass in the order in which they were started. One timer does for all of them, and goes on
 * when they are met: for a call that goes alone, a timer of its own would be a twentieth of all that the client does. It
 * keeps the process alive only while somebody waits.
 */
export class Deadlines {
  readonly timeoutMs: number;
  readonly #waiting = new LinkedQueue<Countdown>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** By `performance.now()`; of a timer that is set, or is about to be. */
  #ringsAtMs = Number.NEGATIVE_INFINITY;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  start(countdown: Countdown): void {
    const nowMs = performance.now();
    countdown.passesAtMs = nowMs + this.timeoutMs;
    this.#waiting.add(countdown);
    if (this.#waiting.first !== countdown) return;
    // one that should have rung by far was set on a clock that has been taken away, as tests do
    if (nowMs > this.#ringsAtMs + this.timeoutMs) {
      this.#ringsAtMs = countdown.passesAtMs;
      clearTimeout(this.#timer);
      // it will outlive the caller
      outsideCallers(() => this.#set(countdown.passesAtMs));
    }
    refTimer(this.#timer);
  }

  meet(countdown: Countdown): void {
    countdown.isMet = true;
    if (this.#waiting.remove(countdown) && this.#waiting.first === undefined) unrefTimer(this.#timer);
  }

  #set(atMs: number): void {
    this.#ringsAtMs = atMs;
    this.#timer = setTimeout(this.#ring, Math.max(0, Math.floor(atMs - performance.now())));
    if (this.#waiting.first === undefined) unrefTimer(this.#timer);
  }

  readonly #ring = (): void => {
    this.#timer = undefined;
    this.#ringsAtMs = Number.NEGATIVE_INFINITY;
    const nowMs = performance.now();
    let first = this.#waiting.first;
    for (; first !== undefined && first.passesAtMs - nowMs < EARLY_MS; first = this.#waiting.first) {
      const countdown = first;
      // it must not stand before one that begins in this turn, which would wait for its timer
      this.#waiting.remove(countdown);
      // a turn for each: who waits for several deadlines hears of the first of them
      afterThisTurn(() => {
        if (!countdown.isMet) countdown.pass();
      });
    }
    if (first !== undefined) this.#set(first.passesAtMs);
  };
}
