import { leased } from "@sluice/core";
import { ioredisStore } from "@sluice/ioredis";
import { tokenBucket } from "@sluice/token-bucket";
import type { Case } from "../case.ts";

const TIMEOUT_MS = 60_000;

/** Units of one busy key, taken in portions. */
export const leasedBucket: Case = {
  name: "tokenBucket, leased 500 at a time",
  measures: ["instructions"],
  instructionsAtMost: 1_000,
  async prepare({ client, keys }) {
    const store = ioredisStore(client, { timeoutMs: TIMEOUT_MS });
    const refill = { tokens: 100, every: "1s" };
    const bucket = tokenBucket({ name: "b", capacity: 10_000_000, refill, store });
    const limiter = leased(bucket, { size: 500, maxHoldMs: 1_000 });
    const [key = ""] = keys;
    return () => limiter.consume(key);
  },
};
