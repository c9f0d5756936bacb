import fc from "fast-check";

/** Units that mean something under any limit. */
export type Amount = { readonly units: number } | { readonly eighths: number; readonly plus: number };

/** One amount for all limits, or one for each, in their order. */
export type Amounts = { readonly all: Amount } | { readonly each: readonly Amount[] };

/** One key for all limits, or one for each, in their order; by number. */
export type Keys = { readonly all: number } | { readonly each: readonly number[] };

/** What callers and operators do to a composition. */
export type Act =
  | {
      readonly do: "consume" | "peek";
      readonly keys: Keys;
      /** Absent where the call says nothing of it. */
      readonly cost: Amounts | undefined;
      readonly reserve: Amounts | undefined;
    }
  | { readonly do: "refund"; readonly which: number }
  | { readonly do: "settle"; readonly which: number; readonly at: Amounts }
  | { readonly do: "reset"; readonly keys: Keys }
  /** `of` is the limit that decides how long a window is. */
  | { readonly do: "wait"; readonly of: number; readonly sixteenths: number; readonly plusMs: number }
  | { readonly do: "replace"; readonly which: number; readonly by: number }
  /** Gives a key a policy of its own, or takes it away. */
  | { readonly do: "set"; readonly which: number; readonly by: number | undefined; readonly key: number };

const MOST_LIMITS = 8;
const KEY_COUNT = 3;
const MOST_ACTS = 40;
const any = fc.nat({ max: 20 });
const someKey = fc.nat({ max: KEY_COUNT - 1 });

const amounts: fc.Arbitrary<Amount> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ units: fc.integer({ min: 0, max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      eighths: fc.integer({ min: 1, max: 8 }),
      plus: fc.constantFrom(0, 0, 0, -1, 1),
    }),
  },
);

function orEach<Value, All, Each>(
  values: fc.Arbitrary<Value>,
  all: (value: Value) => All,
  each: (values: readonly Value[]) => Each,
): fc.Arbitrary<All | Each> {
  const one: fc.Arbitrary<All | Each> = values.map(all);
  const several: fc.Arbitrary<All | Each> = fc
    .array(values, { minLength: MOST_LIMITS, maxLength: MOST_LIMITS })
    .map(each);
  return fc.oneof(one, several);
}

const oneOrEach: fc.Arbitrary<Amounts> = orEach(
  amounts,
  (all) => ({ all }),
  (each) => ({ each }),
);
const keys: fc.Arbitrary<Keys> = orEach(
  someKey,
  (all) => ({ all }),
  (each) => ({ each }),
);

const calls: fc.Arbitrary<Act> = fc.record({
  do: fc.constantFrom("consume" as const, "consume" as const, "consume" as const, "peek" as const),
  keys,
  cost: fc.option(oneOrEach, { freq: 3, nil: undefined }),
  reserve: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: oneOrEach }),
});

const waits: fc.Arbitrary<Act> = fc.record({
  do: fc.constant("wait" as const),
  of: any,
  sixteenths: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: 21, max: 64 }) },
    { weight: 3, arbitrary: fc.integer({ min: -40, max: -1 }) },
  ),
  plusMs: fc.integer({ min: -1, max: 2 }),
});

/** Some dozens of acts, down to one when a failure is made small. */
export const traces: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    { weight: 14, arbitrary: calls },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("refund" as const), which: any }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("settle" as const), which: any, at: oneOrEach }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("reset" as const), keys }) },
    { weight: 6, arbitrary: waits },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("replace" as const), which: any, by: any }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("set" as const),
        which: any,
        by: fc.option(any, { nil: undefined }),
        key: someKey,
      }),
    },
  ),
  { minLength: 1, maxLength: MOST_ACTS, size: "max" },
);

/** Calls and nothing else, one after the other. */
export const callTraces: fc.Arbitrary<readonly Act[]> = fc.array(calls, {
  minLength: 1,
  maxLength: MOST_ACTS,
  size: "max",
});

/** The units of an amount under a limit. */
export function unitsOf(amount: Amount, limit: number): number {
  if ("units" in amount) return amount.units;
  return Math.max(0, Math.floor((limit * amount.eighths) / 8) + amount.plus);
}

/** How far a clock goes in an act, forward or back. */
export function waitMs({ sixteenths, plusMs }: Act & { do: "wait" }, windowMs: number): number {
  return Math.floor((windowMs / 16) * sixteenths) + plusMs;
}

/** The name of a key. */
export function keyName(number: number): string {
  return `key-${number}`;
}

export const KEY_NAMES: readonly string[] = Array.from({ length: KEY_COUNT }, (_, number) => keyName(number));
