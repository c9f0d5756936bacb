import type { Limiter, Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { ioredisStore } from "@sluice/ioredis";
import { leakyBucket, leakyBucketMeter } from "@sluice/leaky-bucket";
import { slidingWindowCounter, slidingWindowLog } from "@sluice/sliding-window";
import { type Case, inTurn } from "../case.ts";

/** So large that no call of a benchmark is denied. */
const AMPLE = 10_000_000;
/** How much is used from the start: a call then finds a TTL that still fits, as on most keys in use. */
const HALF = AMPLE / 2;
/** The server is slow while its instructions are counted. */
const TIMEOUT_MS = 60_000;
const RATE = { tokens: 100, every: "1s" };

interface Contestant {
  readonly name: string;
  readonly instructionsAtMost: number;
  make(store: Store): Limiter;
}

const contestants: readonly Contestant[] = [
  {
    name: "fixedWindow",
    instructionsAtMost: 38_000,
    make: (store) => fixedWindow({ name: "b", limit: AMPLE, window: "1d", store }),
  },
  {
    name: "slidingWindowCounter",
    instructionsAtMost: 45_000,
    make: (store) => slidingWindowCounter({ name: "b", limit: AMPLE, window: "1d", store }),
  },
  {
    name: "slidingWindowLog",
    instructionsAtMost: 66_000,
    make: (store) => slidingWindowLog({ name: "b", limit: AMPLE, window: "1d", store }),
  },
  {
    name: "leakyBucketMeter",
    instructionsAtMost: 45_000,
    make: (store) => leakyBucketMeter({ name: "b", capacity: AMPLE, leak: RATE, store }),
  },
  {
    name: "leakyBucket",
    instructionsAtMost: 45_000,
    make: (store) => leakyBucket({ name: "b", capacity: AMPLE, leak: RATE, store }),
  },
];

/** The allowed path of every algorithm beside the token bucket, on keys that exist. */
export const algorithmCases: readonly Case[] = contestants.map(({ name, instructionsAtMost, make }) => ({
  name: `${name}, allowed`,
  measures: ["throughput", "instructions", "bytes"],
  instructionsAtMost,
  async prepare({ client, keys }) {
    const limiter = make(ioredisStore(client, { timeoutMs: TIMEOUT_MS }));
    const nextKey = inTurn(keys);
    await Promise.all(keys.map((key) => limiter.consume(key, { cost: HALF })));
    return () => limiter.consume(nextKey());
  },
}));

const GRANTS = 1_000;

/** What a log of a thousand grants takes, each in a millisecond of its own. */
export const longLog: Case = {
  name: `slidingWindowLog, ${GRANTS} grants`,
  measures: ["bytes"],
  async prepare({ client, keys }) {
    let nowMs = Date.now();
    const store = ioredisStore(client, { clock: () => nowMs++ });
    const limiter = slidingWindowLog({ name: "b", limit: AMPLE, window: "1d", store });
    for (let grant = 0; grant < GRANTS; grant += 1)
      await Promise.all(keys.map((key) => limiter.consume(key)));
    return async () => undefined;
  },
};
