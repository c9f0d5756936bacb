import fc from "fast-check";
import { KIND_NAMES, KINDS, type KindName, type Shape } from "./kinds.ts";

/** One limit of a composition, and the policies that it has in turn. */
export interface Ingredient {
  readonly name: string;
  readonly kind: KindName;
  readonly shapes: readonly [Shape, ...Shape[]];
  /** For how long a denial blocks a key, in milliseconds; undefined where none does. */
  readonly blockFor: number | undefined;
  /** Whether keys may have policies of their own. */
  readonly perKey: boolean;
}

export type Composition = readonly Ingredient[];

/** Those that every object has are names like any other. */
const NAMES = ["constructor", "per-second", "toString", "a.b_c-d", "hasOwnProperty", "length", "all", "Z9"];
/** Blocks lapse by the server's clock too, so that they must be long for a test. */
const SHORTEST_BLOCK_MS = 10_000;

const shapes: fc.Arbitrary<Shape> = fc
  .record({
    limit: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 8 }) },
      { weight: 3, arbitrary: fc.integer({ min: 9, max: 60 }) },
      { weight: 1, arbitrary: fc.constantFrom(0, 1_000_000) },
    ),
    windowMs: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 10_000 })),
    pace: fc.integer({ min: 1, max: 8 }),
  })
  .map(({ limit, windowMs, pace }) => ({ limit, windowMs, tokens: Math.min(pace, Math.max(1, limit)) }));

const ingredients = fc.record({
  kind: fc.constantFrom(...KIND_NAMES),
  first: shapes,
  others: fc.array(shapes, { minLength: 1, maxLength: 2 }),
  blockFor: fc.option(fc.integer({ min: SHORTEST_BLOCK_MS, max: 3 * SHORTEST_BLOCK_MS }), {
    freq: 3,
    nil: undefined,
  }),
  perKey: fc.boolean(),
});

/** Two to eight limits of any algorithms, of which one may hold the work. */
export const compositions: fc.Arbitrary<Composition> = fc
  .array(ingredients, { minLength: 2, maxLength: NAMES.length, size: "max" })
  .map((chosen) => {
    const queue = chosen.findIndex(({ kind }) => KINDS[kind].queues);
    return chosen.map(({ kind, first, others, blockFor, perKey }, i) => ({
      name: NAMES[i] ?? `limit-${i}`,
      kind: KINDS[kind].queues && i !== queue ? "meter" : kind,
      shapes: [first, ...others],
      blockFor,
      perKey,
    }));
  });
