import { Fraction, least, type Model, type ModelAnswer, type ModelCall, most } from "@sluice/algorithm-proof";

interface Call {
  readonly taken: number;
  /** The tokens that the call left, and when it did. */
  readonly leftTokens: Fraction;
  readonly atMs: number;
}

const ZERO = Fraction.of(0);

/** A bucket as it is usually explained: tokens drop in at a steady pace, those that do not fit are lost. */
export class BucketModel implements Model {
  readonly #capacity: Fraction;
  /** Tokens a millisecond. */
  readonly #pace: Fraction;
  readonly #deepest: Fraction;
  readonly #calls = new Map<number, Call>();
  #tokens: Fraction;
  #atMs = 0;

  constructor(capacity: number, tokens: number, everyMs: number) {
    this.#capacity = Fraction.of(capacity);
    this.#pace = Fraction.of(tokens, everyMs);
    // a token is counted in parts, and debt as far as 2^53 - 1 parts go
    const partsPerToken = everyMs / commonDivisor(tokens, everyMs);
    this.#deepest = this.#capacity.minus(Fraction.of(Number.MAX_SAFE_INTEGER, partsPerToken));
    this.#tokens = this.#capacity;
  }

  consume(nowMs: number, call: ModelCall, id: number): ModelAnswer {
    const answer = this.#answer(nowMs, call);
    const redated = this.#presentMs(nowMs) < this.#atMs;
    if (answer.taken > 0 || (redated && !answer.allowed)) {
      this.#moveTo(nowMs);
      this.#tokens = this.#tokens.minus(Fraction.of(answer.taken));
    }
    this.#calls.set(id, { taken: answer.taken, leftTokens: this.#tokens, atMs: this.#atMs });
    return { ...answer, ...this.#standing(nowMs) };
  }

  peek(nowMs: number, call: ModelCall): ModelAnswer {
    return { ...this.#answer(nowMs, call), taken: 0 };
  }

  refund(nowMs: number, id: number): void {
    const call = this.#call(id);
    if (call.taken > 0) this.settle(nowMs, id, 0);
  }

  settle(nowMs: number, id: number, actualCost: number): boolean {
    const before = { tokens: this.#tokens, atMs: this.#atMs };
    this.#moveTo(nowMs);
    if (this.#settled(id, actualCost)) return true;
    // refused: not even the date is moved
    this.#tokens = before.tokens;
    this.#atMs = before.atMs;
    return false;
  }

  #settled(id: number, actualCost: number): boolean {
    const call = this.#call(id);
    const more = Fraction.of(actualCost - call.taken);
    if (call.taken === 0) {
      const tokens = this.#tokens.minus(more);
      if (!this.#deepest.fits(tokens)) return false;
      this.#tokens = tokens;
      this.#calls.set(id, { taken: actualCost, leftTokens: this.#tokens, atMs: this.#atMs });
      return true;
    }
    const leftTokens = least(this.#capacity, call.leftTokens.minus(more));
    // of what the call had used up, or would have, so much has not come back yet
    const usedUp = this.#capacity.minus(least(call.leftTokens, leftTokens));
    const back = this.#pace.times(Fraction.of(Math.max(0, this.#atMs - call.atMs)));
    // a clock that stepped far back has re-dated what is used: whose it is can no longer be told
    const isTold = this.#atMs >= call.atMs || ZERO.fits(more);
    const weighs = isTold ? most(ZERO, usedUp.minus(back)) : ZERO;
    const change = ZERO.fits(more) ? least(more, weighs) : ZERO.minus(least(ZERO.minus(more), weighs));
    const tokens = least(this.#capacity, this.#tokens.minus(change));
    const isDebt = ZERO.fits(more);
    if (isDebt && !(this.#deepest.fits(leftTokens) && this.#deepest.fits(tokens))) return false;
    this.#tokens = tokens;
    this.#calls.set(id, { taken: actualCost, leftTokens, atMs: call.atMs });
    return true;
  }

  reset(): void {
    this.#tokens = this.#capacity;
  }

  #answer(nowMs: number, { cost, atLeast, reserve }: ModelCall): ModelAnswer {
    const free = this.#tokensAt(nowMs).minus(Fraction.of(reserve));
    const allowed = Fraction.of(atLeast).fits(free);
    const taken = Fraction.of(cost).fits(free) ? cost : free.floor();
    const needed = Fraction.of(atLeast).plus(Fraction.of(reserve));
    const never = !needed.fits(this.#capacity);
    const retryAfterMs = never ? Number.POSITIVE_INFINITY : this.#msUntil(needed, nowMs);
    return {
      allowed,
      taken: allowed ? taken : 0,
      retryAfterMs: allowed ? 0 : retryAfterMs,
      delayMs: 0,
      ...this.#standing(nowMs),
    };
  }

  #standing(nowMs: number): { remaining: number; resetAfterMs: number } {
    const remaining = Math.max(0, this.#tokensAt(nowMs).floor());
    return { remaining, resetAfterMs: this.#msUntil(this.#capacity, nowMs) };
  }

  /** The date of the tokens: a clock that was set back by up to one span has brought none yet. */
  #presentMs(nowMs: number): number {
    const spanMs = this.#capacity.over(this.#pace).ceiling();
    const full = this.#capacity.fits(this.#tokens);
    return full || this.#atMs - nowMs > spanMs ? nowMs : Math.max(nowMs, this.#atMs);
  }

  #tokensAt(nowMs: number): Fraction {
    const elapsedMs = Math.max(0, this.#presentMs(nowMs) - this.#atMs);
    return least(this.#capacity, this.#tokens.plus(this.#pace.times(Fraction.of(elapsedMs))));
  }

  #msUntil(tokens: Fraction, nowMs: number): number {
    const missing = tokens.minus(this.#tokensAt(nowMs));
    if (missing.fits(ZERO)) return 0;
    return this.#presentMs(nowMs) - nowMs + missing.over(this.#pace).ceiling();
  }

  #moveTo(nowMs: number): void {
    this.#tokens = this.#tokensAt(nowMs);
    this.#atMs = this.#presentMs(nowMs);
  }

  #call(id: number): Call {
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error(`call ${id} was not made`);
    return call;
  }
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
