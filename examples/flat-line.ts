// A job worker. Jobs come in bursts and are done at an even pace, however many workers there are. With REDIS_URL it runs
// as three processes that know nothing of one another; without, as three workers in one process.
//
//   REDIS_URL=redis://127.0.0.1:6379 pnpm example flat-line
import { fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Store, wrap } from "@sluice/core";
import { leakyBucket } from "@sluice/leaky-bucket";
import { openStore } from "./open-store.ts";
import { narrate } from "./print.ts";

const PER_SECOND = 20;
/** What lands on each worker: so many jobs at once, after so many milliseconds. */
const BURSTS = [
  { jobs: 35, afterMs: 0 },
  { jobs: 15, afterMs: 500 },
  { jobs: 10, afterMs: 1_000 },
];
const STEP_MS = 500;
const url = process.env.REDIS_URL;

/** Does the jobs of one worker, and says when it did each, by the clock on the wall. */
async function work(worker: number, store: Store): Promise<number[]> {
  const { jobs = 0, afterMs } = BURSTS[worker] ?? {};
  const leak = { tokens: PER_SECOND, every: "1s" };
  const pace = leakyBucket({ name: "flat-line", leak, capacity: 1_000, store });
  const job = wrap(pace, () => Date.now(), { key: "jobs" });
  await sleep(afterMs);
  return Promise.all(Array.from({ length: jobs }, () => job()));
}

function workElsewhere(worker: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [String(worker)]);
    child.on("message", (doneMs: number[]) => resolve(doneMs)).on("error", reject);
    child.on("exit", (code) => reject(new Error(`worker ${worker} ended with ${code}`)));
  });
}

function draw(doneMs: readonly (readonly number[])[]): void {
  const startMs = Math.min(...doneMs.flat());
  const steps = Math.floor((Math.max(...doneMs.flat()) - startMs) / STEP_MS) + 1;
  for (let step = 0; step < steps; step += 1) {
    const fromMs = startMs + step * STEP_MS;
    const counts = doneMs.map((times) => times.filter((ms) => ms >= fromMs && ms < fromMs + STEP_MS).length);
    const bar = counts.map((count, worker) => (["█", "▓", "░"][worker] ?? "?").repeat(count)).join("");
    console.log(`  ${(step * STEP_MS) / 1_000} s`.padEnd(10), bar);
  }
}

async function run(store: Store): Promise<void> {
  const where = url ? "Three processes" : "Three workers in one process";
  narrate(
    `${where} get 35, 15 and 10 jobs. Together they do ${PER_SECOND} a second; a row is half a second.`,
  );
  const workers = BURSTS.map((_burst, worker) => (url ? workElsewhere(worker) : work(worker, store)));
  draw(await Promise.all(workers));
}

try {
  const { store, close } = await openStore(url);
  const [worker] = process.argv.slice(2);
  try {
    if (worker === undefined) await run(store);
    else process.send?.(await work(Number(worker), store));
  } finally {
    close();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
