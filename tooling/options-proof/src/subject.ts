import type { LimiterFactory } from "@sluice/core/algorithm";
import type fc from "fast-check";

/** The values of a stored policy by their fields, as numbers where they are numbers. */
export type FieldValues = ReadonlyMap<string, number | string>;

/** What an algorithm says of its policies to be proven with its options. */
export interface Subject<Own extends object> {
  /** The algorithm's factory. */
  readonly create: LimiterFactory<Own>;
  /** `limit` units every `windowMs`, or what comes closest. */
  shape(limit: number, windowMs: number): Own;
  /** Policies of every size, those that deny everything among them. */
  readonly policies: fc.Arbitrary<Own>;
  /** The fields of a stored policy that it cannot do without; all are numbers. */
  readonly fields: readonly string[];
  /** Fields that may be absent, and the words that they may say. */
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** Numbers for these fields, in their order, many of them at the very largest that can be kept exactly, or beyond. */
  readonly numbers: fc.Arbitrary<readonly number[]>;
  /** What a factory would have to be told to make the policy that these fields say. */
  ownOf(values: FieldValues): Own;
}
