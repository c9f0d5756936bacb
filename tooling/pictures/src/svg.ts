import type { Row } from "./decide.ts";
import { WINDOW_MS } from "./limiters.ts";
import { type Band, drawPage, type Mark } from "./page.ts";

/** Draws the traffic and, below it, what each limiter made of it. */
export function draw(trafficMs: readonly number[], rows: readonly Row[]): string {
  return drawPage({
    title: "The same calls, as six limiters decide them",
    description: description(trafficMs, rows),
    bands: [trafficBand(trafficMs), ...rows.map(rowBand)],
  });
}

function trafficBand(trafficMs: readonly number[]): Band {
  return {
    name: "The calls",
    about: "what is filled below passes, what is hollow is denied",
    result: `${trafficMs.length} calls`,
    marks: trafficMs.map((atMs) => ({ kind: "call", atMs })),
  };
}

function rowBand({ factory, policy, doneMs, deniedMs, most }: Row): Band {
  return {
    name: factory,
    about: policy,
    result: `${doneMs.length} pass, ${most} in the busiest ${WINDOW_MS / 1000} s`,
    marks: [
      ...doneMs.map((atMs): Mark => ({ kind: "done", atMs })),
      ...deniedMs.map((atMs): Mark => ({ kind: "denied", atMs })),
    ],
  };
}

function description(trafficMs: readonly number[], rows: readonly Row[]): string {
  const results = rows.map(({ factory, doneMs, most }) => `${factory} ${doneMs.length} and ${most}`);
  const seconds = WINDOW_MS / 1000;
  return `How many of ${trafficMs.length} calls pass, and how many in the busiest ${seconds} s: ${results.join(", ")}.`;
}
