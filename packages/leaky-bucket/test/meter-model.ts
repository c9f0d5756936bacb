import { Fraction, least, type Model, type ModelAnswer, type ModelCall, most } from "@sluice/algorithm-proof";

/** When the next unit is due, if all that came had kept to the pace, and the present by which that was reckoned. */
interface Schedule {
  readonly dueMs: Fraction;
  readonly atMs: number;
}

interface Call extends Schedule {
  readonly taken: number;
}

const ZERO = Fraction.of(0);

/**
 * The generic cell rate algorithm in its other form, virtual scheduling: no level, but a theoretical arrival time. A
 * unit may come before it is due, by as much as `capacity` units take.
 */
export class MeterModel implements Model {
  /** From one unit to the next. */
  readonly #intervalMs: Fraction;
  /** How far ahead of the present the schedule may be. */
  readonly #toleranceMs: Fraction;
  /** How far ahead debt may carry it: as far as 2^53 - 1 parts of a unit go. What would lead further is refused. */
  readonly #farthestMs: Fraction;
  readonly #calls = new Map<number, Call>();
  #schedule: Schedule | undefined;

  constructor(capacity: number, tokens: number, everyMs: number) {
    this.#intervalMs = Fraction.of(everyMs, tokens);
    this.#toleranceMs = this.#msOf(capacity);
    this.#farthestMs = Fraction.of(Number.MAX_SAFE_INTEGER, tokens / commonDivisor(tokens, everyMs));
  }

  consume(nowMs: number, call: ModelCall, id: number): ModelAnswer {
    const answer = this.#answer(nowMs, call);
    const { dueMs, atMs } = this.#present(nowMs);
    const next = { dueMs: dueMs.plus(this.#msOf(answer.taken)), atMs };
    const wasFarAhead = this.#schedule !== undefined && atMs < this.#schedule.atMs;
    if (answer.taken > 0 || (!answer.allowed && wasFarAhead)) this.#keep(next);
    this.#calls.set(id, { taken: answer.taken, ...next });
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
    const present = this.#present(nowMs);
    const { atMs } = present;
    const moreMs = this.#msOf(actualCost - call.taken);
    if (call.taken === 0) {
      const charged = { dueMs: present.dueMs.plus(moreMs), atMs };
      if (this.#isTooFar(charged)) return false;
      this.#keep(charged);
      this.#calls.set(id, { taken: actualCost, ...charged });
      return true;
    }
    const settled = { dueMs: most(call.dueMs.plus(moreMs), Fraction.of(call.atMs)), atMs: call.atMs };
    // what lies behind us of the time that the call takes up, or would have taken, is settled by itself
    const aheadMs = most(call.dueMs, settled.dueMs).minus(Fraction.of(Math.max(atMs, call.atMs)));
    // a clock that stepped far back has re-dated what is used: whose it is can no longer be told
    const isTold = atMs >= call.atMs || ZERO.fits(moreMs);
    const changeMs = isTold ? within(most(ZERO, aheadMs), moreMs) : ZERO;
    const changed = { dueMs: most(present.dueMs.plus(changeMs), Fraction.of(atMs)), atMs };
    if (this.#isTooFar(settled) || this.#isTooFar(changed)) return false;
    this.#keep(changed);
    this.#calls.set(id, { taken: actualCost, ...settled });
    return true;
  }

  reset(): void {
    this.#schedule = undefined;
  }

  #answer(nowMs: number, { cost, atLeast, reserve }: ModelCall): ModelAnswer {
    const { dueMs, atMs } = this.#present(nowMs);
    const latestMs = this.#toleranceMs.plus(Fraction.of(atMs)).minus(this.#msOf(reserve));
    const conforms = (units: number): boolean => dueMs.plus(this.#msOf(units)).fits(latestMs);
    const allowed = conforms(atLeast);
    const never = !this.#msOf(atLeast).plus(this.#msOf(reserve)).fits(this.#toleranceMs);
    const tooEarlyMs = dueMs.plus(this.#msOf(atLeast)).minus(latestMs);
    const taken = conforms(cost) ? cost : latestMs.minus(dueMs).over(this.#intervalMs).floor();
    return {
      allowed,
      taken: allowed ? taken : 0,
      retryAfterMs: allowed ? 0 : never ? Number.POSITIVE_INFINITY : atMs - nowMs + tooEarlyMs.ceiling(),
      delayMs: 0,
      ...this.#standing(nowMs),
    };
  }

  #standing(nowMs: number): { remaining: number; resetAfterMs: number } {
    const { dueMs, atMs } = this.#present(nowMs);
    const leftMs = this.#toleranceMs.plus(Fraction.of(atMs)).minus(dueMs);
    return {
      remaining: Math.max(0, leftMs.over(this.#intervalMs).floor()),
      resetAfterMs: dueMs.minus(Fraction.of(nowMs)).ceiling(),
    };
  }

  /** A clock that was set back stands still until its time has come again; or, if that is too long, moves all along. */
  #present(nowMs: number): Schedule {
    const unused = { dueMs: Fraction.of(nowMs), atMs: nowMs };
    if (this.#schedule === undefined) return unused;
    const { dueMs, atMs } = this.#schedule;
    if (atMs - nowMs > this.#toleranceMs.ceiling()) {
      return { dueMs: dueMs.minus(Fraction.of(atMs - nowMs)), atMs: nowMs };
    }
    return dueMs.fits(unused.dueMs) ? unused : { dueMs, atMs: Math.max(nowMs, atMs) };
  }

  #keep(schedule: Schedule): void {
    const unused = schedule.dueMs.fits(Fraction.of(schedule.atMs));
    this.#schedule = unused ? undefined : schedule;
  }

  #isTooFar({ dueMs, atMs }: Schedule): boolean {
    return !dueMs.minus(Fraction.of(atMs)).fits(this.#farthestMs);
  }

  #msOf(units: number): Fraction {
    return this.#intervalMs.times(Fraction.of(units));
  }

  #call(id: number): Call {
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error(`call ${id} was not made`);
    return call;
  }
}

/** A change, but by no more than `mostMs` either way. */
function within(mostMs: Fraction, changeMs: Fraction): Fraction {
  return most(ZERO.minus(mostMs), least(mostMs, changeMs));
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
