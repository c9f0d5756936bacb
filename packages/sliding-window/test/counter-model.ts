import { Fraction, type Model, type ModelAnswer, type ModelCall } from "@sluice/algorithm-proof";

interface Call {
  readonly taken: number;
  /** When its grant was counted. */
  readonly atMs: number;
}

/** Units by the number of the clock window in which they were granted. */
type Counts = ReadonlyMap<number, bigint>;

interface Present {
  readonly counts: Counts;
  /** The date of the last grant, and of now: the same where the clock is behind the last grant. */
  readonly lastMs: number;
  readonly atMs: number;
  readonly redated: boolean;
}

const ZERO = Fraction.of(0);
/** The largest count that is exact; a settlement that leads beyond it is refused. */
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** The counter as its formula says it, for any moment; when something comes true is found by trying moments. */
export class CounterModel implements Model {
  readonly #limit: Fraction;
  readonly #windowMs: number;
  readonly #calls = new Map<number, Call>();
  #counts: Counts = new Map();
  #lastMs = 0;

  constructor(limit: number, windowMs: number) {
    this.#limit = Fraction.of(limit);
    this.#windowMs = windowMs;
  }

  consume(nowMs: number, call: ModelCall, id: number): ModelAnswer {
    const answer = this.#answer(nowMs, call);
    const { counts, atMs, lastMs, redated } = this.#present(nowMs);
    if (answer.taken > 0) this.#set(nowMs, plus(counts, this.#windowOf(atMs), answer.taken), atMs);
    else if (redated && !answer.allowed) this.#set(nowMs, counts, lastMs);
    this.#calls.set(id, { taken: answer.taken, atMs });
    return { ...answer, ...this.#standing(nowMs) };
  }

  peek(nowMs: number, call: ModelCall): ModelAnswer {
    return { ...this.#answer(nowMs, call), taken: 0 };
  }

  refund(nowMs: number, id: number): void {
    if (this.#call(id).taken > 0) this.settle(nowMs, id, 0);
  }

  settle(nowMs: number, id: number, actualCost: number): boolean {
    const call = this.#call(id);
    const more = actualCost - call.taken;
    const { counts, lastMs, atMs } = this.#present(nowMs);
    const isNew = call.taken === 0;
    const takenAtMs = isNew ? atMs : call.atMs;
    // more counts at the last grant where that is dated earlier: the clock was far ahead, or the limit was reset
    const window = this.#windowOf(more < 0 || isNew ? takenAtMs : Math.min(takenAtMs, lastMs));
    const isOver = window !== this.#windowOf(atMs);
    const corrected = more < 0 && isOver ? counts : plus(counts, window, more);
    if ([...corrected.values()].some((units) => units > MOST)) return false;
    this.#set(nowMs, corrected, isNew ? atMs : lastMs);
    this.#calls.set(id, { taken: actualCost, atMs: takenAtMs });
    return true;
  }

  reset(): void {
    this.#counts = new Map();
  }

  #answer(nowMs: number, { cost, atLeast, reserve }: ModelCall): ModelAnswer {
    const present = this.#present(nowMs);
    const { atMs } = present;
    const free = (ms: number): Fraction => {
      return this.#limit.minus(this.#used(present, ms)).minus(Fraction.of(reserve));
    };
    const fits = (ms: number): boolean => Fraction.of(atLeast).fits(free(ms));
    const allowed = fits(atMs);
    const never = !Fraction.of(atLeast).plus(Fraction.of(reserve)).fits(this.#limit);
    const retryAfterMs = never ? Number.POSITIVE_INFINITY : this.#first(atMs, fits) - nowMs;
    return {
      allowed,
      taken: allowed ? Math.min(cost, free(atMs).floor()) : 0,
      retryAfterMs: allowed ? 0 : retryAfterMs,
      delayMs: 0,
      ...this.#standing(nowMs),
    };
  }

  #standing(nowMs: number): { remaining: number; resetAfterMs: number } {
    const present = this.#present(nowMs);
    const { atMs } = present;
    const unused = (ms: number): boolean => this.#used(present, ms).fits(ZERO);
    return {
      remaining: Math.max(0, this.#limit.minus(this.#used(present, atMs)).floor()),
      resetAfterMs: unused(atMs) ? 0 : this.#first(atMs, unused) - nowMs,
    };
  }

  /** (current * window + previous * (window - elapsed)) / window */
  #used({ counts }: Pick<Present, "counts">, atMs: number): Fraction {
    const window = this.#windowOf(atMs);
    const restMs = (window + 1) * this.#windowMs - atMs;
    const previous = Fraction.of(counts.get(window - 1) ?? 0n);
    const current = Fraction.of(counts.get(window) ?? 0n);
    return current.plus(previous.times(Fraction.of(restMs, this.#windowMs)));
  }

  /** The first moment from `fromMs` on at which something holds that holds two windows later, and stays true. */
  #first(fromMs: number, holds: (ms: number) => boolean): number {
    let [early, late] = [fromMs, fromMs + 2 * this.#windowMs];
    while (early < late) {
      const between = Math.floor((early + late) / 2);
      if (holds(between)) late = between;
      else early = between + 1;
    }
    return late;
  }

  /** A clock that was set back by up to one window stands still at the last grant; what is further ahead is of now. */
  #present(nowMs: number): Present {
    if (this.#counts.size === 0) return { counts: this.#counts, lastMs: nowMs, atMs: nowMs, redated: false };
    const atMs = Math.max(nowMs, this.#lastMs);
    if (this.#used({ counts: this.#counts }, atMs).fits(ZERO)) {
      return { counts: new Map(), lastMs: atMs, atMs, redated: false };
    }
    if (this.#lastMs - nowMs <= this.#windowMs) {
      return { counts: this.#counts, lastMs: this.#lastMs, atMs, redated: false };
    }
    const used = this.#used({ counts: this.#counts }, this.#lastMs).ceiling();
    return {
      counts: plus(new Map(), this.#windowOf(nowMs), used),
      lastMs: nowMs,
      atMs: nowMs,
      redated: true,
    };
  }

  /** Remembers counts as long as they weigh. */
  #set(nowMs: number, counts: Counts, lastMs: number): void {
    const unused = this.#used({ counts }, Math.max(nowMs, lastMs)).fits(ZERO);
    this.#counts = unused ? new Map() : counts;
    this.#lastMs = lastMs;
  }

  #windowOf(ms: number): number {
    return Math.floor(ms / this.#windowMs);
  }

  #call(id: number): Call {
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error(`call ${id} was not made`);
    return call;
  }
}

function plus(counts: Counts, window: number, more: number): Counts {
  const units = (counts.get(window) ?? 0n) + BigInt(more);
  return new Map(counts).set(window, units < 0n ? 0n : units);
}
