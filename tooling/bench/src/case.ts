import type { Redis } from "ioredis";
import type { createClient } from "redis";

/** The clients over which decisions are measured. */
export const CLIENT_NAMES = ["ioredis", "node-redis"] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

export type NodeRedis = ReturnType<typeof createClient>;

/** Where a case runs: both clients are connected to the same server. */
export interface Place {
  readonly client: Redis;
  readonly nodeRedis: NodeRedis;
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
  /** The client that it calls by; ioredis where it does not say. */
  readonly by?: ClientName;
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
