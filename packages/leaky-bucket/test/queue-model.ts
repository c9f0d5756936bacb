import { Fraction, least, type Model, type ModelAnswer, type ModelCall, most } from "@sluice/algorithm-proof";

/** Slots that follow one another without a gap, from the first one's time to where the last one ends. */
interface Slots {
  readonly fromMs: Fraction;
  readonly toMs: Fraction;
}

interface Call {
  readonly taken: number;
  /** Where its slots end, or would, had it taken from the start what it was settled at. */
  readonly endMs: Fraction;
  readonly atMs: number;
}

const ZERO = Fraction.of(0);

/** A line of slots. Whoever comes takes the next ones at its end; whoever leaves gives up slots there, and nowhere else. */
export class QueueModel implements Model {
  readonly #capacity: number;
  readonly #slotMs: Fraction;
  /** How far debt may carry the line: as far as 2^53 - 1 parts of a slot go. What would lead further is refused. */
  readonly #farthestMs: Fraction;
  readonly #calls = new Map<number, Call>();
  #line: readonly Slots[] = [];
  /** The present by which the line was last changed. */
  #atMs = 0;

  constructor(capacity: number, tokens: number, everyMs: number) {
    this.#capacity = capacity;
    this.#slotMs = Fraction.of(everyMs, tokens);
    this.#farthestMs = Fraction.of(Number.MAX_SAFE_INTEGER, tokens / commonDivisor(tokens, everyMs));
  }

  consume(nowMs: number, call: ModelCall, id: number): ModelAnswer {
    const answer = this.#answer(nowMs, call);
    const atMs = this.#presentMs(nowMs);
    if (answer.taken > 0 || (!answer.allowed && atMs < this.#atMs)) {
      this.#moveTo(nowMs);
      this.#append(this.#msOf(answer.taken));
    }
    this.#calls.set(id, { taken: answer.taken, endMs: this.#nextSlotMs(nowMs), atMs });
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
    const atMs = this.#presentMs(nowMs);
    const nextMs = this.#nextSlotMs(nowMs);
    const moreMs = this.#msOf(actualCost - call.taken);
    const settledMs = most(call.endMs.plus(moreMs), Fraction.of(call.atMs));
    // where the clock was set behind the call, its slots are as far ahead as they were
    const pastMs = Fraction.of(Math.max(atMs, call.atMs));
    const aheadMs = (endMs: Fraction): Fraction => most(ZERO, endMs.minus(pastMs));
    const isMore = ZERO.fits(moreMs);
    const addedMs = call.taken === 0 ? moreMs : least(moreMs, aheadMs(settledMs));
    const isTooFar = this.#isTooFar(nextMs.plus(addedMs), atMs);
    if (isMore && (isTooFar || (call.taken > 0 && this.#isTooFar(settledMs, call.atMs)))) return false;
    // a clock that stepped far back has re-dated the line: whose slots are whose can no longer be told
    const isLast = atMs >= call.atMs && same(aheadMs(call.endMs), nextMs.minus(Fraction.of(atMs)));
    this.#moveTo(nowMs);
    if (isMore) this.#append(addedMs);
    else if (isLast) this.#remove(least(ZERO.minus(moreMs), aheadMs(call.endMs)));
    if (call.taken === 0) this.#calls.set(id, { taken: actualCost, endMs: nextMs.plus(moreMs), atMs });
    else this.#calls.set(id, { taken: actualCost, endMs: settledMs, atMs: call.atMs });
    return true;
  }

  reset(): void {
    this.#line = [];
  }

  #answer(nowMs: number, { cost, atLeast, reserve }: ModelCall): ModelAnswer {
    const atMs = this.#presentMs(nowMs);
    const nextMs = this.#nextSlotMs(nowMs).minus(Fraction.of(atMs));
    const lastMs = (units: number): Fraction => nextMs.plus(this.#msOf(units - 1));
    const waiting = (units: number): number => lastMs(units).over(this.#slotMs).ceiling();
    const seats = this.#capacity - reserve;
    const allowed = waiting(atLeast) <= seats;
    const fewer = Fraction.of(seats + 1)
      .minus(nextMs.over(this.#slotMs))
      .floor();
    const tooLateMs = lastMs(atLeast).minus(this.#msOf(seats));
    const retryAfterMs = atMs - nowMs + tooLateMs.ceiling();
    return {
      allowed,
      taken: allowed ? (waiting(cost) <= seats ? cost : fewer) : 0,
      retryAfterMs: allowed ? 0 : atLeast - 1 > seats ? Number.POSITIVE_INFINITY : retryAfterMs,
      delayMs: allowed ? this.#nextSlotMs(nowMs).minus(Fraction.of(nowMs)).ceiling() : 0,
      ...this.#standing(nowMs),
    };
  }

  #standing(nowMs: number): { remaining: number; resetAfterMs: number } {
    const nextMs = this.#nextSlotMs(nowMs);
    const ahead = nextMs.minus(Fraction.of(this.#presentMs(nowMs))).over(this.#slotMs);
    return {
      remaining: Math.max(
        0,
        Fraction.of(this.#capacity + 1)
          .minus(ahead)
          .floor(),
      ),
      resetAfterMs: nextMs.minus(Fraction.of(nowMs)).ceiling(),
    };
  }

  /** When the slot begins that is given away next: where the line ends, or now. */
  #nextSlotMs(nowMs: number): Fraction {
    const present = Fraction.of(this.#presentMs(nowMs));
    return most(present, ...this.#lineAt(nowMs).map(({ toMs }) => toMs));
  }

  /** The line by a clock that may have been set back too far: then all of it moves along. */
  #lineAt(nowMs: number): readonly Slots[] {
    const aheadMs = Fraction.of(this.#isFarAhead(nowMs) ? this.#atMs - nowMs : 0);
    return this.#line.map(({ fromMs, toMs }) => ({
      fromMs: fromMs.minus(aheadMs),
      toMs: toMs.minus(aheadMs),
    }));
  }

  #isFarAhead(nowMs: number): boolean {
    return this.#atMs - nowMs > this.#msOf(this.#capacity + 1).ceiling();
  }

  /** A clock that was set back stands still until its time has come again, as long as somebody is in line. */
  #presentMs(nowMs: number): number {
    const empty = this.#line.every(({ toMs }) => toMs.fits(Fraction.of(nowMs)));
    return empty || this.#isFarAhead(nowMs) ? nowMs : Math.max(nowMs, this.#atMs);
  }

  /** Forgets the slots that have passed. */
  #moveTo(nowMs: number): void {
    const atMs = this.#presentMs(nowMs);
    this.#line = endingAfter(atMs, this.#lineAt(nowMs));
    this.#atMs = atMs;
  }

  #append(ms: Fraction): void {
    const fromMs = this.#nextSlotMs(this.#atMs);
    this.#line = endingAfter(this.#atMs, [...this.#line, { fromMs, toMs: fromMs.plus(ms) }]);
  }

  #remove(ms: Fraction): void {
    const endMs = this.#nextSlotMs(this.#atMs).minus(ms);
    const cut = this.#line.map(({ fromMs, toMs }) => ({ fromMs, toMs: least(toMs, endMs) }));
    const left = cut.filter(({ fromMs, toMs }) => !toMs.fits(fromMs));
    this.#line = endingAfter(this.#atMs, left);
  }

  #isTooFar(endMs: Fraction, atMs: number): boolean {
    return !endMs.minus(Fraction.of(atMs)).fits(this.#farthestMs);
  }

  #msOf(units: number): Fraction {
    return this.#slotMs.times(Fraction.of(units));
  }

  #call(id: number): Call {
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error(`call ${id} was not made`);
    return call;
  }
}

function endingAfter(atMs: number, line: readonly Slots[]): readonly Slots[] {
  return line.filter(({ toMs }) => !toMs.fits(Fraction.of(atMs)));
}

function same(one: Fraction, other: Fraction): boolean {
  return one.fits(other) && other.fits(one);
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
