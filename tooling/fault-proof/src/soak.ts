/**
 * Keeps callers of both clients at work for a long time while faults happen at random moments, and tells each minute
 * what has come of it and how much memory that takes. Run by hand, with a number of minutes:
 *
 *   node --import tsx tooling/fault-proof/src/soak.ts 30
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Crowd } from "./crowd.ts";
import { keyOf, type Round } from "./demands.ts";
import type { Ground } from "./fault.ts";
import { FAULTS } from "./faults.ts";
import { isFlat } from "./flat.ts";
import type { Memory } from "./orders.ts";
import { markdownTable } from "./table.ts";

const CLIENTS = ["ioredis", "node-redis"] as const;
const LIBRARIES = { ioredis: "ioredis 6", "node-redis": "node-redis 6" };
const MINUTE_MS = 60_000;
/** So many that they last for a good part of a minute. */
const SCARCE = 1_500;
const HEALTHY_MS = { least: 500, most: 3_000 };
const FAULT_MS = { least: 200, most: 1_500 };
const HEADS = [
  "minute",
  "calls",
  "settled in time",
  "failed",
  "granted",
  "beyond the limit",
  "lost",
  "doubled",
  ...CLIENTS.flatMap((client) => ["heap kB", "RSS kB", "handles"].map((what) => `${client}: ${what}`)),
];

const minutes = Number(process.argv[2] ?? 30);
if (!(minutes >= 1)) throw new Error("soak.ts takes a number of minutes, 1 at least");

const [first, ...others] = CLIENTS.map((client) => ({
  path: new URL(`../../../packages/${client}/test/callers.ts`, import.meta.url),
  args: [LIBRARIES[client]],
}));
if (first === undefined) throw new Error("there are no clients");

const crowd = await Crowd.gather([first, ...others]);
const rows: (string | number)[][] = [];
const heaps: Record<string, number[]> = {};
let isRight = true;
let faults = 0;

for (let minute = 1; minute <= minutes; minute += 1) {
  const round = { name: `minute-${minute}`, scarce: SCARCE };
  const { accounts, tally, backAfterMs } = await crowd.live(round, (ground) => haunt(ground, round));
  const memories = await crowd.weigh();
  const strange = Object.values(accounts).flatMap((account) => account.strange);
  isRight &&= tally.settled === tally.calls && tally.excess + tally.lost + tally.doubled === 0;
  isRight &&= backAfterMs !== undefined && strange.length === 0;
  for (const error of strange) console.error(error);
  for (const [index, client] of CLIENTS.entries()) {
    heaps[client] = [...(heaps[client] ?? []), memories[index]?.heapBytes ?? 0];
  }
  const { calls, settled, failed, granted, excess, lost, doubled } = tally;
  const row = [minute, calls, settled, failed, granted, excess, lost, doubled, ...memories.flatMap(cellsOf)];
  rows.push(row);
  console.error(row.join("  "));
}
const endings = await crowd.disperse();
isRight &&= endings.every(({ code, stderr }) => code === 0 && stderr === "");

console.log(markdownTable(HEADS, rows));
console.log(`\n${faults} faults. ${isRight ? "All of it right." : "NOT all of it right."}`);
for (const [client, heap] of Object.entries(heaps)) {
  const flat = isFlat(heap);
  const verdict =
    flat === undefined ? "not known to be flat, after so few minutes" : flat ? "flat" : "NOT flat";
  console.log(`${client}: the memory is ${verdict}.`);
  isRight &&= flat !== false;
}
process.exitCode = isRight ? 0 : 1;

/** One fault after the other, each for a random while after a random while, until a minute is over. */
async function haunt(ground: Ground, round: Round): Promise<void> {
  const endsAtMs = performance.now() + MINUTE_MS;
  while (performance.now() < endsAtMs) {
    await sleep(between(HEALTHY_MS));
    const fault = FAULTS[faults % FAULTS.length];
    await fault?.happen(ground, between(FAULT_MS), keyOf("broken", round));
    faults += 1;
  }
}

function between({ least, most }: { least: number; most: number }): number {
  return Math.round(least + Math.random() * (most - least));
}

function cellsOf({ heapBytes, rssBytes, resources }: Memory): number[] {
  return [Math.round(heapBytes / 1024), Math.round(rssBytes / 1024), resources];
}
