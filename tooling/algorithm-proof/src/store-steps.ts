import fc from "fast-check";
import { type Amount, amounts, backwardStretches, forwardStretches, type Stretch } from "./amounts.ts";

/** Which of the policies in flight is in force, by the remainder. */
type PolicyIndex = number;

/** A call. */
export interface DecideStep {
  readonly do: "decide";
  readonly policy: PolicyIndex;
  readonly commit: boolean;
  readonly cost: Amount;
  readonly least: Amount;
  readonly reserve: Amount;
}

/** A refund, or a settlement. */
export interface AdjustStep {
  readonly do: "adjust";
  readonly policy: PolicyIndex;
  /** Which earlier grant, by the remainder; null for a call that took nothing. */
  readonly grant: number | null;
  readonly add: boolean;
  readonly by: Amount;
}

/** One step against a store. */
export type Step =
  | DecideStep
  | AdjustStep
  | { readonly do: "forget"; readonly policy: PolicyIndex }
  | { readonly do: "clock"; readonly policy: PolicyIndex; readonly by: Stretch };

const MOST_STEPS = 80;
const policy = fc.nat({ max: 5 });
const nothing = fc.constant<Amount>({ units: 0 });
const everything = fc.constant<Amount>({ beyond: Number.MAX_SAFE_INTEGER });

const decideSteps: fc.Arbitrary<DecideStep> = fc.record({
  do: fc.constant("decide" as const),
  policy,
  commit: fc.integer({ min: 0, max: 4 }).map((often) => often > 0),
  cost: amounts,
  // mostly the whole cost, and nothing reserved, as callers do
  least: fc.oneof({ weight: 3, arbitrary: everything }, { weight: 1, arbitrary: amounts }),
  reserve: fc.oneof({ weight: 3, arbitrary: nothing }, { weight: 1, arbitrary: amounts }),
});

const adjustSteps: fc.Arbitrary<AdjustStep> = fc.record({
  do: fc.constant("adjust" as const),
  policy,
  grant: fc.option(fc.nat({ max: 20 }), { freq: 6 }),
  add: fc.boolean(),
  by: fc.oneof({ weight: 9, arbitrary: amounts }, { weight: 1, arbitrary: everything }),
});

const clockSteps: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("clock" as const),
  policy,
  by: fc.oneof({ weight: 3, arbitrary: forwardStretches }, { weight: 1, arbitrary: backwardStretches }),
});

const forgetSteps: fc.Arbitrary<Step> = fc.record({ do: fc.constant("forget" as const), policy });

/** Random steps, some dozens of them, down to one when a failure is made small. */
export const storeSteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: decideSteps },
    { weight: 4, arbitrary: adjustSteps },
    { weight: 6, arbitrary: clockSteps },
    { weight: 1, arbitrary: forgetSteps },
  ),
  { minLength: 1, maxLength: MOST_STEPS, size: "max" },
);
