// The program of one of several processes that share a limit.
import { ioredisStore } from "@sluice/ioredis";
import { Redis } from "ioredis";
import { inTurn } from "../case.ts";
import { obey } from "../child/obey.ts";
import { makeCalls } from "../load.ts";
import { ampleBucket, TIMEOUT_MS, useHalf } from "./bucket.ts";

export interface CallerOrder {
  calls: number;
  callers: number;
}

const KEYS = Array.from({ length: 1_000 }, (_, index) => `user:${String(index).padStart(3, "0")}`);

const [redisUrl = ""] = process.argv.slice(2);
const limiter = ampleBucket(ioredisStore(new Redis(redisUrl), { timeoutMs: TIMEOUT_MS }));
await Promise.all(KEYS.map((key) => useHalf(limiter, key)));
const nextKey = inTurn(KEYS);

obey(({ calls, callers }: CallerOrder) => makeCalls(() => limiter.consume(nextKey()), calls, callers));
