import type { CompiledPolicy } from "./algorithm-definition.js";
import type { Duration } from "./duration.js";
import type { LevelParams } from "./level.js";
import type { PolicyChecks } from "./policy-checks.js";
import { MAX_EXACT, MAX_SPAN_MS } from "./whole.js";

/** `tokens` every `every`, one at a time: a token each `every / tokens`. */
export interface Rate {
  /** Whole, at least 1. */
  tokens: number;
  every: Duration;
}

/** A level's options under the names that its algorithm gives them. */
export interface LevelOptions {
  readonly capacity: unknown;
  /** What the rate is called: `"refill"` or `"leak"`. */
  readonly rateName: string;
  readonly rate: unknown;
  /** How many units fit beyond the capacity: 1 in a queue, where one passes at once. */
  readonly beyond?: number | undefined;
}

/** Turns a level's options into whole numbers, or refuses those that cannot be kept exactly. */
export function compileLevel(
  { capacity: saidCapacity, rateName, rate: saidRate, beyond = 0 }: LevelOptions,
  checks: PolicyChecks,
): CompiledPolicy<LevelParams> {
  const rate = checks.record(rateName, saidRate, ["tokens", "every"]);
  const tokens = checks.whole(`${rateName}.tokens`, rate.tokens, 1);
  const everyMs = checks.duration(`${rateName}.every`, rate.every);
  const shared = greatestCommonDivisor(tokens, everyMs);
  const unitsPerMs = tokens / shared;
  const unitsPerToken = everyMs / shared;
  // the units of a full level must be exact, and so must be its time to drain added to a date
  const largest = Math.floor(Math.min(MAX_EXACT, MAX_SPAN_MS * unitsPerMs) / unitsPerToken) - beyond;
  const capacity = checks.whole("capacity", saidCapacity, 0);
  if (capacity > largest) {
    checks.refuse(
      `capacity must be at most ${largest} to be exact with ${tokens} tokens every ${everyMs} ms, got ${capacity}`,
    );
  }
  const limit = capacity + beyond;
  return {
    limit,
    windowMs: Math.ceil((limit * unitsPerToken) / unitsPerMs),
    data: { capacity, [rateName]: { tokens, everyMs } },
    params: [limit * unitsPerToken, unitsPerMs, unitsPerToken],
  };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
