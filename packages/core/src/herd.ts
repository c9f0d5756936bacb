import { alarmAt } from "./alarm.js";
import type { Decision } from "./decision.js";
import type { Foreseen } from "./waiter.js";

/** A line that waits in a herd. */
export interface Herded {
  /** What its first waiter asks for. */
  readonly asks: string;
  /** Asks once, or leaves. Says so by `stand` or `leave` when it is over. */
  takeTurn(wasPromised: boolean): void;
  foresee(granted: Decision): Foreseen | undefined;
  /** Whoever cannot wait until then hears of it. */
  refuseBefore(untilMs: number): void;
}

/** A herd of a key that several lines stand at, made when the first of them waits there. */
export interface Herds {
  at(id: string): Herd;
  find(id: string): Herd | undefined;
}

/** The most lines of a herd that ask at a time. */
const MAX_AT_ONCE = 16;

/**
 * The lines that one key of a limit keeps waiting, in order of arrival. They would all come back at the same instant, most
 * of them in vain: so the first of them asks alone. While all who ask are granted, one more may ask at a time; a denial
 * ends that.
 */
export class Herd {
  readonly id: string;
  readonly #lines = new Set<Herded>();
  readonly #asking = new Set<Herded>();
  readonly #onEmpty: () => void;
  #atOnce = 1;
  /** Until when it is known to be in vain to ask for what `#deniedAsks` says, by `performance.now()`. */
  #untilMs = 0;
  #deniedAsks = "";
  /** All who cannot wait until then have heard of it. */
  #refusedBeforeMs = 0;
  #alarm: { atMs: number; cancel: () => void } | undefined;
  #isServing = false;

  constructor(id: string, onEmpty: () => void) {
    this.id = id;
    this.#onEmpty = onEmpty;
  }

  get untilMs(): number {
    return this.#untilMs;
  }

  isInVain(asks: string): boolean {
    return asks === this.#deniedAsks && this.#untilMs > performance.now();
  }

  /** A line waits here. If it did so before it keeps its place, and its turn is over. */
  stand(line: Herded): void {
    this.#lines.add(line);
    this.#asking.delete(line);
  }

  /** A line waits here no longer; it may have been granted what it asked for. */
  leave(line: Herded, granted: Decision | undefined): void {
    this.#lines.delete(line);
    this.#asking.delete(line);
    if (this.#lines.size === 0) {
      this.#alarm?.cancel();
      this.#alarm = undefined;
      this.#onEmpty();
      return;
    }
    try {
      if (granted !== undefined) this.#noteGrant(granted);
    } finally {
      // an algorithm that cannot tell what comes next must not strand them
      this.serve();
    }
  }

  deny(asks: string, untilMs: number): void {
    this.#atOnce = 1;
    // those before somebody who asks for more may be served sooner
    const [first] = this.#lines;
    if (first?.asks !== asks) return;
    this.#deniedAsks = asks;
    this.#untilMs = untilMs;
    if (untilMs <= this.#refusedBeforeMs) return;
    this.#refusedBeforeMs = untilMs;
    for (const line of this.#lines) line.refuseBefore(untilMs);
  }

  /** Something was given back here, by this process. */
  lookAgain(): void {
    this.#untilMs = 0;
    this.#refusedBeforeMs = 0;
    this.serve();
  }

  /** Has the first lines ask, as soon as that is not known to be in vain. */
  serve(wasPromised = false): void {
    // a line may leave instead: what follows is seen by the loop that gave it the turn
    if (this.#isServing) return;
    this.#isServing = true;
    let isFirst = wasPromised;
    let atMs: number | undefined;
    for (const line of this.#lines) {
      if (this.#asking.size + 1 > this.#atOnce) break;
      if (this.#asking.has(line)) continue;
      if (this.isInVain(line.asks)) {
        atMs = this.#untilMs;
        break;
      }
      this.#asking.add(line);
      line.takeTurn(isFirst);
      isFirst = false;
    }
    this.#isServing = false;
    this.#setAlarm(atMs);
  }

  #setAlarm(atMs: number | undefined): void {
    if (atMs === this.#alarm?.atMs) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (atMs === undefined) return;
    const cancel = alarmAt(atMs, () => {
      this.#alarm = undefined;
      this.serve(true);
    });
    this.#alarm = { atMs, cancel };
  }

  #noteGrant(granted: Decision): void {
    this.#atOnce = Math.min(this.#atOnce + 1 / this.#atOnce, MAX_AT_ONCE);
    for (const next of this.#lines) {
      if (this.#asking.has(next)) continue;
      const foreseen = next.foresee(granted);
      if (foreseen?.by === this.id && foreseen.waitMs > 0) {
        this.deny(next.asks, performance.now() + foreseen.waitMs);
      }
      return;
    }
  }
}
