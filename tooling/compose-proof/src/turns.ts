import { isDeepStrictEqual } from "node:util";
import { check, START_MS } from "@sluice/algorithm-proof";
import type { Decision, Limiter, Store } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { type Amount, keyName, unitsOf } from "./acts.ts";
import { KIND_NAMES, KINDS, type Shape } from "./kinds.ts";
import { told } from "./told.ts";

/** A call on one of the limits. */
interface Call {
  readonly limit: number;
  readonly key: number;
  readonly do: "consume" | "peek";
  /** Absent where the call says nothing of it. */
  readonly cost: Amount | undefined;
  /** Of the cost, in eighths. */
  readonly atLeast: number | undefined;
  readonly reserve: Amount | undefined;
}

/** What is called in one turn of the event loop, and how far the clock goes before it. */
interface Turn {
  readonly afterMs: number;
  readonly calls: readonly Call[];
}

const MOST_CALLS = 100;
const KEYS = 3;

const amounts: fc.Arbitrary<Amount> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ units: fc.nat({ max: 3 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ eighths: fc.integer({ min: 1, max: 8 }), plus: fc.constantFrom(0, -1, 1) }),
  },
);

const calls: fc.Arbitrary<Call> = fc.record({
  limit: fc.nat({ max: KIND_NAMES.length - 1 }),
  key: fc.nat({ max: KEYS - 1 }),
  do: fc.constantFrom("consume" as const, "consume" as const, "consume" as const, "peek" as const),
  cost: fc.option(amounts, { freq: 2, nil: undefined }),
  atLeast: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 1, nil: undefined }),
  reserve: fc.option(amounts, { freq: 1, nil: undefined }),
});

const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.integer({ min: -2_000, max: 6_000 })),
    calls: fc.oneof(
      fc.array(calls, { minLength: 1, maxLength: 5 }),
      fc.array(calls, { minLength: 1, maxLength: MOST_CALLS, size: "max" }),
      // many alike
      fc
        .tuple(calls, fc.integer({ min: 1, max: MOST_CALLS }))
        .map(([call, count]) => Array(count).fill(call)),
    ),
  }),
  { minLength: 1, maxLength: 8, size: "max" },
);

const shapes: fc.Arbitrary<readonly Shape[]> = fc.array(
  fc
    .record({
      limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 80 })),
      windowMs: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 10_000 })),
      pace: fc.integer({ min: 1, max: 8 }),
    })
    .map(({ limit, windowMs, pace }) => ({ limit, windowMs, tokens: Math.min(pace, limit) })),
  { minLength: KIND_NAMES.length, maxLength: KIND_NAMES.length },
);

/**
 * Makes the same random calls on limits of every algorithm in one store, all of a turn at once, and in another, one after
 * the other, and compares every decision. The other's clock is set to when a call was decided at once: so the one may
 * have a clock of its own.
 *
 * @returns how many decisions were compared
 */
export async function compareTurns(
  storesBy: (clock: ManualClock) => { atOnce: Store; inTurn: Store },
  runs: number,
): Promise<number> {
  let count = 0;
  const property = fc.asyncProperty(shapes, turns, async (shaped, acted) => {
    const clock = manualClock(START_MS);
    const { atOnce, inTurn } = storesBy(clock);
    const [gathered, single] = [limitersIn(atOnce, shaped), limitersIn(inTurn, shaped)];
    for (const turn of acted) {
      clock.advance(turn.afterMs);
      const together = await Promise.all(turn.calls.map((call) => made(gathered, call)));
      for (const [i, call] of turn.calls.entries()) {
        const one = together[i];
        if (one === undefined) throw new Error("a call was not answered");
        clock.set(one.decidedAtMs);
        const other = await made(single, call);
        if (!isDeepStrictEqual(told(one), told(other))) {
          throw new Error(`call ${i} of a turn at ${clock()}: ${JSON.stringify([call, one, other])}`);
        }
        count += 1;
      }
    }
  });
  await check(property, runs);
  return count;
}

function limitersIn(store: Store, shaped: readonly Shape[]): Limiter[] {
  return KIND_NAMES.map((kind, i) => {
    const shape = shaped[i] ?? { limit: 1, windowMs: 1, tokens: 1 };
    const name = kind.replaceAll(" ", "-");
    return KINDS[kind].make({ name, store, blockFor: undefined, perKey: false }, shape).limiter;
  });
}

function made(limiters: readonly Limiter[], call: Call): Promise<Decision> {
  const limiter = limiters[call.limit];
  if (limiter === undefined) throw new Error(`there is no limit ${call.limit}`);
  const units = (amount: Amount): number => unitsOf(amount, limiter.policy.limit);
  const cost = call.cost && units(call.cost);
  const options = {
    ...(cost !== undefined && { cost }),
    ...(call.reserve && { reserve: units(call.reserve) }),
  };
  if (call.do === "peek") return limiter.peek(keyName(call.key), options);
  const atLeast = call.atLeast && Math.ceil(((cost ?? 1) * call.atLeast) / 8);
  // of nothing there is no part
  return limiter.consume(keyName(call.key), { ...options, ...(atLeast && { atLeast }) });
}
