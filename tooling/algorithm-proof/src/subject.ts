import type { LimiterFactory } from "@sluice/core/algorithm";
import type fc from "fast-check";
import type { Model } from "./model.ts";

/**
 * What an algorithm says of itself to be proven. The suites assume nothing else about it, so what differs between
 * algorithms stands here, as small facts.
 */
export interface Subject<Own extends object> {
  /** The algorithm's factory. */
  readonly create: LimiterFactory<Own>;
  /** The policy that comes closest to "`limit` units every `windowMs`", all of them at once if need be. */
  readonly shape: (limit: number, windowMs: number) => Own;
  /** What `with` is told to set another limit and leave the pace, or the window, as it is. */
  readonly resized: (limit: number) => Partial<Own>;
  /** Policies with a limit of at least 1, the largest and the oddest that can be kept among them. */
  readonly policies: fc.Arbitrary<Own>;
  /** The algorithm as it would be explained, for one key. */
  readonly model: (own: Own) => Model;
  /** The most units that can be granted in any `stretchMs` milliseconds, both ends counted, to a `shape`. */
  readonly atMost: (limit: number, windowMs: number, stretchMs: number) => number;
  /** The smallest limit that a policy may have. */
  readonly smallestLimit: 0 | 1;
  /** After how many windows nothing of a grant is left. */
  readonly windowsKept: 1 | 2;
  /**
   * How long a grant can be undone: as far as its level still stands, until its window is over, or while it is the
   * last.
   */
  readonly undoes: "level" | "window" | "last";
  /**
   * What is remembered of grants: a sum (the default), or each one's date, by which a shorter window no longer counts
   * what lies further back.
   */
  readonly remembers?: "sum" | "dates";
  /** Whether `delayMs` may ask to hold the work. */
  readonly delays: boolean;
}
