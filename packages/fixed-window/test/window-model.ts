import type { Model, ModelAnswer, ModelCall } from "@sluice/algorithm-proof";

interface Grant {
  readonly atMs: bigint;
  /** Below 0 for what was given back of a grant of that date. */
  readonly units: bigint;
}

interface Call {
  readonly taken: bigint;
  readonly atMs: bigint;
}

/** The largest sum that is exact; a settlement that leads beyond it is refused. */
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** A list of the grants of the present window: they are added up, and the list is thrown away when the window ends. */
export class WindowModel implements Model {
  readonly #limit: bigint;
  readonly #windowMs: bigint;
  readonly #anchor: "clock" | "first";
  readonly #calls = new Map<number, Call>();
  #grants: readonly Grant[] = [];

  constructor(limit: number, windowMs: number, anchor: "clock" | "first") {
    this.#limit = BigInt(limit);
    this.#windowMs = BigInt(windowMs);
    this.#anchor = anchor;
  }

  consume(nowMs: number, call: ModelCall, id: number): ModelAnswer {
    const now = BigInt(nowMs);
    const answer = this.#answer(now, call);
    const taken = BigInt(answer.taken);
    const atMs = this.#dateOf(now);
    if (taken > 0n) this.#grants = [...this.#counted(now), { atMs, units: taken }];
    else if (!answer.allowed && this.#isFarAhead(now)) this.#grants = this.#counted(now);
    this.#calls.set(id, { taken, atMs });
    return { ...answer, ...this.#standing(now) };
  }

  peek(nowMs: number, call: ModelCall): ModelAnswer {
    return { ...this.#answer(BigInt(nowMs), call), taken: 0 };
  }

  refund(nowMs: number, id: number): void {
    if (this.#call(id).taken > 0n) this.settle(nowMs, id, 0);
  }

  settle(nowMs: number, id: number, actualCost: number): boolean {
    const now = BigInt(nowMs);
    const call = this.#call(id);
    const taken = BigInt(actualCost);
    const counted = this.#counted(now);
    const atMs = call.taken > 0n ? call.atMs : this.#dateOf(now);
    // a call is known by its date alone: it is in the list if it was made between the first and the last
    const isCounted =
      counted.some((grant) => grant.atMs <= atMs) && counted.some((grant) => grant.atMs >= atMs);
    const total = sum(counted) + (isCounted || call.taken === 0n ? taken - call.taken : 0n);
    if (total > MOST) return false;
    if (total <= 0n) this.#grants = [];
    else if (total === sum(counted)) this.#grants = counted;
    else this.#grants = [...counted, { atMs, units: total - sum(counted) }];
    this.#calls.set(id, { taken, atMs });
    return true;
  }

  reset(): void {
    this.#grants = [];
  }

  #answer(now: bigint, { cost, atLeast, reserve }: ModelCall): ModelAnswer {
    const room = this.#limit - sum(this.#counted(now)) - BigInt(reserve);
    const allowed = BigInt(atLeast) <= room;
    const never = BigInt(atLeast) + BigInt(reserve) > this.#limit;
    return {
      allowed,
      taken: allowed ? Number(BigInt(cost) < room ? BigInt(cost) : room) : 0,
      retryAfterMs: allowed ? 0 : never ? Number.POSITIVE_INFINITY : this.#untilEndMs(now),
      delayMs: 0,
      ...this.#standing(now),
    };
  }

  #standing(now: bigint): { remaining: number; resetAfterMs: number } {
    const used = sum(this.#counted(now));
    return {
      remaining: Number(within(0n, this.#limit - used, this.#limit)),
      resetAfterMs: used === 0n ? 0 : this.#untilEndMs(now),
    };
  }

  /** The grants of the window that holds the present. */
  #counted(now: bigint): readonly Grant[] {
    if (this.#isFarAhead(now)) return this.#grants.map(({ units }) => ({ atMs: now, units }));
    return this.#dateOf(now) < this.#endMs(this.#grants, now) ? this.#grants : [];
  }

  /** A clock that was set back by more than a window: what was granted is taken for granted now. */
  #isFarAhead(now: bigint): boolean {
    return this.#grants.some(({ atMs }) => atMs - now > this.#windowMs);
  }

  /** When a grant of now is dated: a clock that was set back stands still until its time has come again. */
  #dateOf(now: bigint): bigint {
    if (this.#isFarAhead(now)) return now;
    return latest(now, ...this.#grants.map(({ atMs }) => atMs));
  }

  #untilEndMs(now: bigint): number {
    return Number(this.#endMs(this.#counted(now), now) - now);
  }

  /** When the window ends that holds these grants, or one of now where there are none. */
  #endMs(grants: readonly Grant[], now: bigint): bigint {
    const [first = { atMs: now }] = grants;
    if (this.#anchor === "first") return first.atMs + this.#windowMs;
    return (first.atMs / this.#windowMs + 1n) * this.#windowMs;
  }

  #call(id: number): Call {
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error(`call ${id} was not made`);
    return call;
  }
}

function sum(grants: readonly Grant[]): bigint {
  return grants.reduce((total, { units }) => total + units, 0n);
}

function latest(...[first, ...others]: readonly [bigint, ...bigint[]]): bigint {
  let found = first;
  for (const other of others) if (other > found) found = other;
  return found;
}

function within(min: bigint, value: bigint, max: bigint): bigint {
  return value < min ? min : value > max ? max : value;
}
