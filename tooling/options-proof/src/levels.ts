import { wide } from "@sluice/algorithm-proof";
import {
  type LeakyBucketMeterOptions,
  type LeakyBucketOptions,
  leakyBucket,
  leakyBucketMeter,
} from "@sluice/leaky-bucket";
import { type TokenBucketOptions, tokenBucket } from "@sluice/token-bucket";
import fc from "fast-check";
import type { FieldValues, Subject } from "./subject.ts";
import { upToAndBeyond } from "./windows.ts";

const MAX_EXACT = 2n ** 53n - 1n;
const MAX_SPAN_MS = 2n ** 52n;

interface Pace {
  tokens: number;
  every: number;
}

interface Level extends Pace {
  capacity: number;
}

/** The most that a level can hold exactly at a pace, reckoned in large numbers. */
function largestOf({ tokens, every }: Pace): number {
  const unitsPerToken = BigInt(every) / commonDivisor(BigInt(tokens), BigInt(every));
  const byUnits = MAX_EXACT / unitsPerToken;
  const bySpan = (MAX_SPAN_MS * BigInt(tokens)) / BigInt(every);
  return Number(byUnits < bySpan ? byUnits : bySpan);
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}

const paces = fc.record({
  tokens: fc.oneof(fc.integer({ min: 1, max: 12 }), wide(1, 2 ** 40)),
  every: fc.oneof(fc.integer({ min: 1, max: 20_000 }), wide(1, 2 ** 52)),
});

/** Levels of every size and pace, some of which hold nothing; `beyond` is what fits beyond the capacity. */
function levels(beyond: number): fc.Arbitrary<Level> {
  return paces
    .filter((pace) => largestOf(pace) >= beyond)
    .chain((pace) => {
      const most = largestOf(pace) - beyond;
      const capacities = fc.oneof(fc.integer({ min: 0, max: Math.min(12, most) }), wide(0, most));
      return capacities.map((capacity) => ({ ...pace, capacity }));
    });
}

/** Capacities around the largest at any pace at all, and paces that are none. */
function numbersOf(beyond: number): fc.Arbitrary<readonly number[]> {
  const anyPace = fc.record({
    tokens: fc.oneof(wide(1, 2 ** 53 - 1), fc.integer({ min: 1, max: 60 })),
    every: fc.oneof(wide(1, 2 ** 52), fc.integer({ min: 1, max: 60 })),
  });
  const exact = anyPace.chain(({ tokens, every }) => {
    const largest = largestOf({ tokens, every }) - beyond;
    const around = fc.integer({ min: -2, max: 2 }).map((distance) => Math.max(0, largest + distance));
    return fc.oneof(around, wide(0, Math.max(0, largest))).map((capacity) => [capacity, tokens, every]);
  });
  const wild = fc.tuple(upToAndBeyond(2 ** 53 - 1), upToAndBeyond(2 ** 53 - 1), upToAndBeyond(2 ** 52));
  return fc.oneof({ weight: 3, arbitrary: exact }, { weight: 1, arbitrary: wild });
}

function levelIn(values: FieldValues, rateName: string): Level {
  return {
    capacity: Number(values.get("capacity")),
    tokens: Number(values.get(`${rateName}.tokens`)),
    every: Number(values.get(`${rateName}.everyMs`)),
  };
}

function refilled({ capacity, tokens, every }: Level): TokenBucketOptions {
  return { capacity, refill: { tokens, every } };
}

function leaking({ capacity, tokens, every }: Level): LeakyBucketMeterOptions & LeakyBucketOptions {
  return { capacity, leak: { tokens, every } };
}

function shape(limit: number, windowMs: number): Level {
  return { capacity: limit, tokens: Math.max(1, limit), every: windowMs };
}

export const bucketSubject: Subject<TokenBucketOptions> = {
  create: tokenBucket,
  shape: (limit, windowMs) => refilled(shape(limit, windowMs)),
  policies: levels(0).map(refilled),
  fields: ["capacity", "refill.tokens", "refill.everyMs"],
  words: {},
  numbers: numbersOf(0),
  ownOf: (values) => refilled(levelIn(values, "refill")),
};

export const meterSubject: Subject<LeakyBucketMeterOptions> = {
  create: leakyBucketMeter,
  shape: (limit, windowMs) => leaking(shape(limit, windowMs)),
  policies: levels(0).map(leaking),
  fields: ["capacity", "leak.tokens", "leak.everyMs"],
  words: {},
  numbers: numbersOf(0),
  ownOf: (values) => leaking(levelIn(values, "leak")),
};

/** Its limit is one more than its capacity. */
export const queueSubject: Subject<LeakyBucketOptions> = {
  create: leakyBucket,
  shape: (limit, windowMs) => ({ capacity: limit - 1, leak: { tokens: limit, every: windowMs } }),
  policies: levels(1).map(leaking),
  fields: ["capacity", "leak.tokens", "leak.everyMs"],
  words: {},
  numbers: numbersOf(1),
  ownOf: (values) => leaking(levelIn(values, "leak")),
};
