// The program of one crowd: its memory and its pauses are those of a process of its own.
import { setTimeout as sleep } from "node:timers/promises";
import { obey } from "../child/obey.ts";
import { quantile } from "../load.ts";
import { CROWD_CASES } from "./crowd-cases.ts";

/** What callers see for a while: how late a decision is that is due at a timer's tick, whatever ran in its way. */
export interface Watch {
  p50Ms: number;
  p99Ms: number;
  worstMs: number;
}

export interface CrowdAnswer {
  bytesPerKey: number;
  /** While all keys are there. */
  steady: Watch;
  /** While they lapse and are dropped. */
  lapsing: Watch;
}

export interface CrowdOrder {
  name: string;
  keys: number;
  /** How long a key lives; longer than the crowd takes to come, and to be watched for a while. */
  windowMs: number;
}

/** Sooner than this nobody has to drop what has lapsed. */
const DROPPED_WITHIN_MS = 10_000;
const TICK_MS = 1;

obey(async ({ name, keys, windowMs }: CrowdOrder): Promise<CrowdAnswer> => {
  const subject = CROWD_CASES.find((one) => one.name === name);
  if (subject === undefined) throw new Error(`there is no case ${name}`);
  const { consume, size } = subject.prepare(2 * keys, windowMs);
  // compiled and grown before anything is weighed
  await consume("first");

  const emptyBytes = heapBytes();
  const startMs = performance.now();
  for (let index = 0; index < keys; index += 1) await consume(`user:${index}`);
  const filledMs = performance.now();
  const bytesPerKey = (heapBytes() - emptyBytes) / keys;

  const lapsingFromMs = startMs + windowMs - 100;
  if (performance.now() > lapsingFromMs) throw new Error("the keys lapsed before they were watched");
  const steady = await watch(consume, () => performance.now() >= lapsingFromMs);
  const lapsedMs = filledMs + windowMs;
  const lapsing = await watch(consume, () => {
    const sinceMs = performance.now() - lapsedMs;
    if (size === undefined) return sinceMs > DROPPED_WITHIN_MS / 5;
    return sinceMs > DROPPED_WITHIN_MS || (sinceMs > 0 && size() <= 2);
  });
  return { bytesPerKey, steady, lapsing };
});

/** Bytes on the heap, and beside it, of what is still needed. */
function heapBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Decides for another key at every tick of a timer, until it is told to stop. */
async function watch(consume: (key: string) => Promise<unknown>, isOver: () => boolean): Promise<Watch> {
  const lateMs: number[] = [];
  while (!isOver()) {
    const dueMs = performance.now() + TICK_MS;
    await sleep(TICK_MS);
    await consume("somebody");
    lateMs.push(performance.now() - dueMs);
  }
  const sorted = Float64Array.from(lateMs).sort();
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), worstMs: quantile(sorted, 1) };
}
