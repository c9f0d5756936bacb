import { memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { leakyBucket } from "@sluice/leaky-bucket";
import { drawPage } from "./page.ts";
import { SPAN_MS } from "./traffic.ts";

/** A job, and the worker on which it landed. */
export interface Job {
  worker: "a" | "b" | "c";
  atMs: number;
}

export const PER_SECOND = 6;
const LAST_MS = 31_000;
const WORKERS = [
  { worker: "a", jobs: 14, fromMs: 0, everyMs: 6_000 },
  { worker: "b", jobs: 9, fromMs: 500, everyMs: 4_500 },
  { worker: "c", jobs: 1, fromMs: 0, everyMs: 500 },
] as const;
const STYLE = `
    .a { fill: #0969da }
    .b { fill: #54aeff }
    .c { fill: #8250df }
    @media (prefers-color-scheme: dark) {
      .a { fill: #58a6ff }
      .b { fill: #1f6feb }
      .c { fill: #bc8cff }
    }
  `;

/** The jobs of three workers as they come, and as they are done under one leaky bucket. */
export async function flatLine(): Promise<{ come: Job[]; done: Job[] }> {
  const clock = manualClock(0);
  const leak = { tokens: PER_SECOND, every: "1s" };
  const pace = leakyBucket({ name: "jobs", leak, capacity: 1_000, store: memoryStore({ clock }) });
  const come = WORKERS.flatMap(({ worker, jobs, fromMs, everyMs }) => {
    const bursts = Array.from({ length: Math.floor((LAST_MS - fromMs) / everyMs) + 1 }, (_, i) => i);
    return bursts.flatMap((i) =>
      Array.from({ length: jobs }, (): Job => ({ worker, atMs: fromMs + i * everyMs })),
    );
  }).sort((one, other) => one.atMs - other.atMs);
  const done: Job[] = [];
  for (const { worker, atMs } of come) {
    clock.set(atMs);
    const { delayMs } = await pace.consume("jobs");
    done.push({ worker, atMs: atMs + delayMs });
  }
  return { come, done };
}

/** Draws them: bursts above, a flat line below. */
export async function drawFlatLine(): Promise<string> {
  const { come, done } = await flatLine();
  const marks = (jobs: readonly Job[]) =>
    jobs.filter(({ atMs }) => atMs < SPAN_MS).map(({ worker, atMs }) => ({ kind: worker, atMs }));
  return drawPage({
    title: "The jobs of three workers, as they come and as they are done",
    description: `${come.length} jobs come in bursts to three workers, who share a leaky bucket: they do ${PER_SECOND} a second together.`,
    style: STYLE,
    bands: [
      {
        name: "Jobs come",
        about: "to three workers, a colour each",
        result: `${come.length} jobs`,
        marks: marks(come),
      },
      {
        name: "Jobs are done",
        about: "by all three, who wait for one leaky bucket",
        result: `${PER_SECOND} a second`,
        marks: marks(done),
      },
    ],
  });
}
