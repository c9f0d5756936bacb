import { memoryStore } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { tokenBucket } from "@sluice/token-bucket";
import { RateLimiterMemory } from "rate-limiter-flexible";

/** So large that nobody is denied, and yet a small number to the engine. */
const AMPLE = 1_000_000;

/** A limiter in memory that gets a crowd of keys, which all lapse after a while. */
export interface CrowdCase {
  readonly name: string;
  prepare(maxKeys: number, windowMs: number): Crowd;
}

export interface Crowd {
  consume(key: string): Promise<unknown>;
  /** How many keys it holds, where it says so. */
  size?(): number;
}

export const CROWD_CASES: readonly CrowdCase[] = [
  {
    name: "fixedWindow, memory store",
    prepare(maxKeys, windowMs) {
      const store = memoryStore({ maxKeys });
      const limiter = fixedWindow({ name: "b", limit: AMPLE, window: windowMs, anchor: "first", store });
      return { consume: (key) => limiter.consume(key), size: () => store.size };
    },
  },
  {
    name: "tokenBucket, memory store",
    prepare(maxKeys, windowMs) {
      const store = memoryStore({ maxKeys });
      const refill = { tokens: 1, every: windowMs };
      const limiter = tokenBucket({ name: "b", capacity: AMPLE, refill, store });
      return { consume: (key) => limiter.consume(key), size: () => store.size };
    },
  },
  {
    name: "rate-limiter-flexible, RateLimiterMemory",
    prepare(_, windowMs) {
      const limiter = new RateLimiterMemory({ points: AMPLE, duration: windowMs / 1_000 });
      return { consume: (key) => limiter.consume(key) };
    },
  },
];
