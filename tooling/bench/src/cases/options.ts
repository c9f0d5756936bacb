import type { KeyedLimits, Limiter, Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { ioredisStore } from "@sluice/ioredis";
import { tokenBucket } from "@sluice/token-bucket";
import { type Case, inTurn } from "../case.ts";

/** So large that no call of a benchmark is denied. */
const AMPLE = 10_000_000;
/** The server is slow while its instructions are counted. */
const TIMEOUT_MS = 60_000;
const BUCKET = { capacity: AMPLE, refill: { tokens: 100, every: "1s" } };
const WINDOW = { limit: AMPLE, window: "1d" };

type Keyed<Own extends object> = Limiter & KeyedLimits<Own>;

/** Calls that are allowed, of a limiter of which half is used, once `setUp` is done for each key. */
function allowed<L extends Limiter>(
  name: string,
  instructionsAtMost: number | undefined,
  make: (store: Store) => L,
  setUp: (limiter: L, key: string) => Promise<void> = async () => {},
): Case {
  return {
    name,
    measures: ["instructions"],
    ...(instructionsAtMost === undefined ? {} : { instructionsAtMost }),
    async prepare({ client, keys }) {
      const limiter = make(ioredisStore(client, { timeoutMs: TIMEOUT_MS }));
      await Promise.all(keys.map((key) => setUp(limiter, key)));
      await Promise.all(keys.map((key) => limiter.consume(key, { cost: AMPLE / 2 })));
      const nextKey = inTurn(keys);
      return () => limiter.consume(nextKey());
    },
  };
}

const setLimit =
  <Own extends object>(own: Own) =>
  (limiter: Keyed<Own>, key: string): Promise<void> =>
    limiter.setLimit(key, own);

const keyedBucket = (store: Store) => tokenBucket({ name: "b", perKey: true, ...BUCKET, store });
const keyedWindow = (store: Store) => fixedWindow({ name: "b", perKey: true, ...WINDOW, store });

const blocked: Case = {
  name: "tokenBucket with blockFor, blocked",
  measures: ["instructions"],
  async prepare({ client, keys }) {
    const store = ioredisStore(client, { timeoutMs: TIMEOUT_MS });
    const limiter = tokenBucket({ name: "b", blockFor: "1h", ...BUCKET, store });
    await Promise.all(keys.map((key) => limiter.block(key, "1h")));
    const nextKey = inTurn(keys);
    return () => limiter.consume(nextKey());
  },
};

/** What the options cost that are off by default: a policy of the key's own 20,000 instructions at most. */
export const optionCases: readonly Case[] = [
  allowed("tokenBucket with perKey, the limiter's policy", undefined, keyedBucket),
  allowed("tokenBucket with perKey, the key's policy", 61_000, keyedBucket, setLimit(BUCKET)),
  allowed("fixedWindow with perKey, the key's policy", 58_000, keyedWindow, setLimit(WINDOW)),
  allowed("tokenBucket with blockFor, allowed", undefined, (store) =>
    tokenBucket({ name: "b", blockFor: "1h", ...BUCKET, store }),
  ),
  blocked,
];
