import { type Limiter, memoryStore } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { tokenBucket } from "@sluice/token-bucket";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { inTurn } from "../case.ts";
import type { LocalCase } from "./case.ts";

/** So large that no call of a benchmark is denied. */
const AMPLE = 1_000_000_000;

function ofMemoryStore(name: string, limiter: Limiter): LocalCase {
  return {
    name: `${name}, memory store`,
    group: "memory, allowed",
    calls: 300_000,
    async prepare(keys) {
      const nextKey = inTurn(keys);
      return () => limiter.consume(nextKey());
    },
  };
}

/** Allowed decisions in memory, and those of the peer in its own. */
export function memoryCases(): LocalCase[] {
  const store = memoryStore();
  return [
    ofMemoryStore("fixedWindow", fixedWindow({ name: "fixed", limit: AMPLE, window: "1d", store })),
    ofMemoryStore(
      "tokenBucket",
      tokenBucket({ name: "bucket", capacity: AMPLE, refill: { tokens: 100, every: "1s" }, store }),
    ),
    {
      name: "rate-limiter-flexible, RateLimiterMemory",
      group: "memory, allowed",
      calls: 300_000,
      isPeer: true,
      async prepare(keys) {
        const limiter = new RateLimiterMemory({ points: AMPLE, duration: 86_400 });
        const nextKey = inTurn(keys);
        return () => limiter.consume(nextKey());
      },
    },
  ];
}
