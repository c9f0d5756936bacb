/**
 * Run by `runAlone` with the URL of a server, together with others: calls for one key of each algorithm, from portions of a
 * fixed size and from such as follow the demand. Prints what it was granted.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type LeasedLimiter, leased } from "@sluice/core";
import { ioredisStore } from "@sluice/ioredis";
import { Redis } from "ioredis";
import { CALLS_A_SECOND, FLOWING, PORTIONS, PROCESSES, STANDING, type Usage } from "../src/demand.ts";
import { LEASABLE, type Shape } from "../src/leasable.ts";

const [url = "", durationMs = ""] = process.argv.slice(2);
const client = new Redis(url);

function lease(
  { algorithm, portions }: Pick<Usage, "algorithm" | "portions">,
  shape: Shape,
): LeasedLimiter<string> {
  const store = ioredisStore(client, { prefix: `${portions}-${shape.limit}`, timeoutMs: 20_000 });
  return leased(LEASABLE[algorithm](store, shape), PORTIONS[portions]);
}

/** Calls at a steady pace, as many as are due by then, and ends with what it holds, as a process that crashes. */
async function callFor(limiter: LeasedLimiter<string>): Promise<number[]> {
  const granted: number[] = [];
  const calls: Promise<void>[] = [];
  const startMs = performance.now();
  const call = async (): Promise<void> => {
    const { allowed, decidedAtMs } = await limiter.consume("all");
    if (allowed) granted.push(decidedAtMs);
  };
  while (performance.now() - startMs < Number(durationMs)) {
    while (calls.length < ((performance.now() - startMs) * CALLS_A_SECOND) / 1_000) calls.push(call());
    await sleep(5);
  }
  await Promise.all(calls);
  return granted;
}

/** Calls, ten at a time, until it is denied. */
async function callUntilDenied(limiter: LeasedLimiter<string>): Promise<number> {
  let granted = 0;
  const caller = async (): Promise<void> => {
    while ((await limiter.consume("all")).allowed) granted++;
  };
  await Promise.all(Array.from({ length: 10 }, caller));
  await limiter.close();
  return granted;
}

/** Waits for the others, so that all call together. */
async function meet(where: string): Promise<void> {
  await client.incr(where);
  while (Number(await client.get(where)) < PROCESSES) await sleep(5);
}

const kinds = (["fixed window", "sliding counter", "token bucket", "meter"] as const).flatMap((algorithm) =>
  (["fixed", "adaptive"] as const).map((portions) => ({ algorithm, portions })),
);
await meet("flowing");
const flowing = await Promise.all(kinds.map((kind) => callFor(lease(kind, FLOWING))));
await meet("standing");
const standing = await Promise.all(kinds.map((kind) => callUntilDenied(lease(kind, STANDING))));
const usages = kinds.map(
  (kind, i): Usage => ({ ...kind, flowing: flowing[i] ?? [], standing: standing[i] ?? 0 }),
);
console.log(JSON.stringify(usages));
client.disconnect();
