import type { Model, ModelAnswer, ModelCall } from "../src/model.ts";

interface Count {
  readonly used: bigint;
  /** When it was last added to. */
  readonly atMs: bigint;
}

interface Call {
  readonly taken: bigint;
  readonly atMs: bigint;
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** A count and the date of the last grant; nothing is left of it when that date's window is over. */
export class PlainWindowModel implements Model {
  readonly #limit: bigint;
  readonly #windowMs: bigint;
  readonly #calls = new Map<number, Call>();
  #count: Count | undefined;

  constructor(limit: number, windowMs: number) {
    this.#limit = BigInt(limit);
    this.#windowMs = BigInt(windowMs);
  }

  consume(nowMs: number, call: ModelCall, id: number): ModelAnswer {
    const answer = this.#answer(nowMs, call);
    const { used, atMs } = this.#present(nowMs);
    const redated = this.#count !== undefined && atMs < this.#count.atMs;
    if (answer.taken > 0) {
      this.#count = { used: used + BigInt(answer.taken), atMs: later(atMs, BigInt(nowMs)) };
    } else if (redated && !answer.allowed) {
      this.#count = { used, atMs };
    }
    this.#calls.set(id, { taken: BigInt(answer.taken), atMs: this.#present(nowMs).atMs });
    return { ...answer, ...this.#standing(nowMs) };
  }

  peek(nowMs: number, call: ModelCall): ModelAnswer {
    return { ...this.#answer(nowMs, call), taken: 0 };
  }

  refund(nowMs: number, id: number): void {
    if (this.#call(id).taken > 0n) this.settle(nowMs, id, 0);
  }

  settle(nowMs: number, id: number, actualCost: number): boolean {
    const call = this.#call(id);
    const { used, atMs } = this.#present(nowMs);
    const over = call.taken > 0n && this.#windowOf(call.atMs) !== this.#windowOf(atMs);
    const added = BigInt(actualCost) - call.taken;
    if (!over && added > 0n && used + added > MOST) return false;
    const settled = over || used + added < 0n ? (over ? used : 0n) : used + added;
    this.#count = settled === 0n ? undefined : { used: settled, atMs };
    this.#calls.set(id, { taken: BigInt(actualCost), atMs: call.taken > 0n ? call.atMs : atMs });
    return true;
  }

  reset(): void {
    this.#count = undefined;
  }

  #answer(nowMs: number, { cost, atLeast, reserve }: ModelCall): ModelAnswer {
    const room = this.#limit - this.#present(nowMs).used - BigInt(reserve);
    const allowed = BigInt(atLeast) <= room;
    const never = BigInt(atLeast) + BigInt(reserve) > this.#limit;
    const endsInMs = (this.#windowOf(this.#present(nowMs).atMs) + 1n) * this.#windowMs - BigInt(nowMs);
    return {
      allowed,
      taken: allowed ? Number(BigInt(cost) < room ? BigInt(cost) : room) : 0,
      retryAfterMs: allowed ? 0 : never ? Number.POSITIVE_INFINITY : Number(endsInMs),
      delayMs: 0,
      ...this.#standing(nowMs),
    };
  }

  #standing(nowMs: number): { remaining: number; resetAfterMs: number } {
    const { used, atMs } = this.#present(nowMs);
    const endsInMs = (this.#windowOf(atMs) + 1n) * this.#windowMs - BigInt(nowMs);
    return {
      remaining: Number(within(0n, this.#limit - used, this.#limit)),
      resetAfterMs: used === 0n ? 0 : Number(endsInMs),
    };
  }

  #present(nowMs: number): Count {
    const now = BigInt(nowMs);
    if (this.#count === undefined) return { used: 0n, atMs: now };
    const { used, atMs } = this.#count;
    if (atMs - now > this.#windowMs) return { used, atMs: now };
    return this.#windowOf(now) > this.#windowOf(atMs) ? { used: 0n, atMs: now } : { used, atMs };
  }

  #windowOf(atMs: bigint): bigint {
    return atMs / this.#windowMs;
  }

  #call(id: number): Call {
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error(`call ${id} was not made`);
    return call;
  }
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function within(min: bigint, value: bigint, max: bigint): bigint {
  return value < min ? min : value > max ? max : value;
}
