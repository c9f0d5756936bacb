import type { Model, ModelAnswer, ModelCall } from "@sluice/algorithm-proof";

/** What was granted in one millisecond. */
interface Grant {
  readonly atMs: number;
  readonly units: number;
}

interface Call {
  readonly taken: number;
  readonly atMs: number;
}

/** What a log is, and whether it was dated so far ahead that it now counts as of now. */
interface Present {
  readonly grants: readonly Grant[];
  readonly atMs: number;
  readonly redated: boolean;
}

/** A settlement that leads beyond this is refused. */
const MOST_USED = 2 ** 48 - 1;

/** A log as it is usually explained: a list of grants, of which those of the last window count. */
export class LogModel implements Model {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #calls = new Map<number, Call>();
  #grants: readonly Grant[] = [];

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  consume(nowMs: number, call: ModelCall, id: number): ModelAnswer {
    const answer = this.#answer(nowMs, call);
    const { grants, atMs, redated } = this.#present(nowMs);
    if (answer.taken > 0) this.#grants = added(grants, atMs, answer.taken);
    else if (redated && !answer.allowed) this.#grants = grants;
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
    const { grants, atMs } = this.#present(nowMs);
    const takenAtMs = call.taken === 0 ? atMs : call.atMs;
    // it counts in the millisecond in which it was granted, or no more
    const isCounted = call.taken === 0 || grants.some((grant) => grant.atMs === takenAtMs);
    const corrected = isCounted && more !== 0 ? added(grants, takenAtMs, more) : grants;
    if (sum(corrected) > MOST_USED) return false;
    this.#grants = corrected;
    this.#calls.set(id, { taken: actualCost, atMs: takenAtMs });
    return true;
  }

  reset(): void {
    this.#grants = [];
  }

  #answer(nowMs: number, { cost, atLeast, reserve }: ModelCall): ModelAnswer {
    const { grants } = this.#present(nowMs);
    const room = this.#limit - sum(grants) - reserve;
    const allowed = atLeast <= room;
    return {
      allowed,
      taken: allowed ? Math.min(cost, room) : 0,
      retryAfterMs: allowed ? 0 : this.#passesAtMs(grants, atLeast + reserve) - nowMs,
      delayMs: 0,
      ...this.#standing(nowMs),
    };
  }

  /** The first of the moments at which a grant leaves the window at which there is room for so many units. */
  #passesAtMs(grants: readonly Grant[], units: number): number {
    const leaveAtMs = grants.map(({ atMs }) => atMs + this.#windowMs).sort((one, other) => one - other);
    const passesAtMs = leaveAtMs.find((ms) => sum(this.#counting(grants, ms)) + units <= this.#limit);
    return passesAtMs ?? Number.POSITIVE_INFINITY;
  }

  #standing(nowMs: number): { remaining: number; resetAfterMs: number } {
    const { grants } = this.#present(nowMs);
    const newestMs = newestOf(grants);
    return {
      remaining: Math.max(0, this.#limit - sum(grants)),
      resetAfterMs: newestMs === undefined ? 0 : newestMs + this.#windowMs - nowMs,
    };
  }

  /** What counts now. While the clock is behind the newest grant, it is as late as that. */
  #present(nowMs: number): Present {
    const newestMs = newestOf(this.#grants);
    if (newestMs === undefined) return { grants: [], atMs: nowMs, redated: false };
    const atMs = Math.max(nowMs, newestMs);
    const grants = this.#counting(this.#grants, atMs);
    if (newestMs - nowMs <= this.#windowMs) return { grants, atMs, redated: false };
    return { grants: [{ atMs: nowMs, units: sum(grants) }], atMs: nowMs, redated: true };
  }

  #counting(grants: readonly Grant[], nowMs: number): readonly Grant[] {
    return grants.filter(({ atMs }) => atMs > nowMs - this.#windowMs);
  }

  #call(id: number): Call {
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error(`call ${id} was not made`);
    return call;
  }
}

function sum(grants: readonly Grant[]): number {
  return grants.reduce((total, { units }) => total + units, 0);
}

/** When the last unit was granted that was not given back. */
function newestOf(grants: readonly Grant[]): number | undefined {
  const dates = grants.filter(({ units }) => units > 0).map(({ atMs }) => atMs);
  return dates.length === 0 ? undefined : Math.max(...dates);
}

function added(grants: readonly Grant[], atMs: number, units: number): readonly Grant[] {
  const same = grants.find((grant) => grant.atMs === atMs);
  const others = grants.filter((grant) => grant !== same);
  return [...others, { atMs, units: Math.max(0, (same?.units ?? 0) + units) }];
}
