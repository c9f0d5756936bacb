import type { Redis } from "ioredis";

/** Where a case runs. */
export interface Place {
  readonly client: Redis;
  /** The users whose limits are asked, in turn. */
  readonly keys: readonly string[];
  /** How often the call will be made at most: for a case that needs something ready for each call. */
  readonly calls: number;
}

/** Makes one decision, or what stands for one. */
export type Call = () => Promise<unknown>;

/** One thing to measure. */
export interface Case {
  readonly name: string;
  /** What is measured of it. */
  readonly measures: readonly Measure[];
  /** Server instructions a call that it promises to stay under. */
  readonly instructionsAtMost?: number;
  /** Sets up whatever the call needs, on an empty database. */
  prepare(place: Place): Promise<Call>;
}

export type Measure = "throughput" | "instructions" | "bytes";

/** The items one after the other, for ever. */
export function inTurn<T>(items: readonly T[]): () => T {
  let index = -1;
  return () => {
    index = (index + 1) % items.length;
    const item = items[index];
    if (item === undefined) throw new Error("there is nothing to take in turn");
    return item;
  };
}
