import type { Policy } from "@sluice/core";
import fc from "fast-check";
import {
  type Amount,
  amounts,
  backwardStretches,
  forwardStretches,
  type Stretch,
  stretchMs,
  unitsOf,
} from "./amounts.ts";

/** What callers do to one key of a limiter. Calls are numbered, so that a correction can name the one it corrects. */
export type Operation =
  | {
      readonly do: "consume" | "peek";
      readonly call: number;
      readonly cost: number;
      readonly atLeast: number;
      readonly reserve: number;
    }
  | { readonly do: "refund"; readonly call: number }
  | { readonly do: "settle"; readonly call: number; readonly actualCost: number }
  | { readonly do: "reset" }
  | { readonly do: "wait"; readonly ms: number };

/** Operations before it is known how large a limit is and how long its window. */
export type Traffic = readonly Act[];

type Act = Call | Correction | { readonly do: "reset" } | { readonly do: "wait"; readonly stretch: Stretch };

interface Call {
  readonly do: "consume" | "peek";
  readonly cost: Amount;
  readonly atLeast: Amount;
  readonly reserve: Amount;
}

type Correction =
  | { readonly do: "refund"; readonly which: number }
  | { readonly do: "settle"; readonly which: number; readonly at: Amount };

const which = fc.nat({ max: 10 });
const nothing = fc.constant<Amount>({ units: 0 });
const everything = fc.constant<Amount>({ beyond: 0 });

const consumes: fc.Arbitrary<Act> = fc.record({
  do: fc.constantFrom("consume" as const, "consume" as const, "consume" as const, "peek" as const),
  cost: amounts,
  atLeast: fc.oneof({ weight: 3, arbitrary: everything }, { weight: 1, arbitrary: amounts }),
  reserve: fc.oneof({ weight: 3, arbitrary: nothing }, { weight: 1, arbitrary: amounts }),
});
const corrections: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant("refund" as const), which }),
  fc.record({ do: fc.constant("settle" as const), which, at: amounts }),
);
const resets: fc.Arbitrary<Act> = fc.record({ do: fc.constant("reset" as const) });

function waits(stretch: fc.Arbitrary<Stretch>): fc.Arbitrary<Act> {
  return fc.record({ do: fc.constant("wait" as const), stretch });
}

function several(...acts: { weight: number; arbitrary: fc.Arbitrary<Act> }[]): fc.Arbitrary<Traffic> {
  return fc.array(fc.oneof(...acts), { maxLength: 20, size: "max" });
}

const ordinary = [
  { weight: 9, arbitrary: consumes },
  { weight: 3, arbitrary: corrections },
  { weight: 1, arbitrary: resets },
  { weight: 4, arbitrary: waits(forwardStretches) },
];

/** Traffic under a clock that only goes forward. */
export const steadyTraffic: fc.Arbitrary<Traffic> = several(...ordinary);

/** Traffic under a clock that is also set back. */
export const anyTraffic: fc.Arbitrary<Traffic> = several(...ordinary, {
  weight: 1,
  arbitrary: waits(backwardStretches),
});

/** What traffic comes to under a policy. A refunded call is corrected no more. */
export function operationsOf(traffic: Traffic, { limit, windowMs }: Policy): Operation[] {
  const operations: Operation[] = [];
  const standing: number[] = [];
  for (const [index, act] of traffic.entries()) {
    switch (act.do) {
      case "consume":
      case "peek": {
        const cost = unitsOf(act.cost, limit);
        const atLeast = act.do === "peek" ? cost : Math.min(cost, unitsOf(act.atLeast, limit));
        operations.push({ do: act.do, call: index, cost, atLeast, reserve: unitsOf(act.reserve, limit) });
        if (act.do === "consume") standing.push(index);
        break;
      }
      case "settle": {
        const call = standing[act.which % standing.length];
        if (call === undefined) break;
        operations.push({ do: "settle", call, actualCost: unitsOf(act.at, limit) });
        break;
      }
      case "refund": {
        const [call] = standing.splice(act.which % standing.length, 1);
        if (call !== undefined) operations.push({ do: "refund", call });
        break;
      }
      case "wait":
        operations.push({ do: "wait", ms: stretchMs(act.stretch, windowMs) });
        break;
      case "reset":
        operations.push({ do: "reset" });
    }
  }
  return operations;
}
