import { describe, it } from "vitest";
import { ALGORITHMS, type AlgorithmCase } from "./algorithms.ts";
import { Bench } from "./bench.ts";
import type { Candidate, Need } from "./candidate.ts";
import type { Check } from "./check.ts";
import { TOPICS } from "./topics.ts";

const LACKS: Record<Need, string> = {
  servers: "keeps its states in no server",
  program: "has no program for other processes",
};

/**
 * Registers the whole suite for a store with the test runner: each check for every algorithm. What a store cannot be
 * asked, by what it handed over, shows as a skip that says why.
 *
 * @example
 * ```ts
 * proveStore({
 *   name: "ioredis 6, standalone",
 *   open: (options) => ioredisStore(client, options),
 *   servers: [redis],
 *   program: { path: new URL("crowd.ts", import.meta.url), args: [redis.url] },
 * });
 * ```
 */
export function proveStore(candidate: Candidate): void {
  describe(candidate.name, () => {
    for (const { title, waits = false, checks } of TOPICS) {
      describe(title, { concurrent: waits }, () => {
        for (const check of checks) register(check, candidate, ALGORITHMS);
      });
    }
  });
}

/**
 * Registers what can differ where a store that is proven is reached in another way: keys, replies, errors, crowds,
 * missing scripts, and a trace of every algorithm. What holds for one algorithm then does for the others, so they take
 * turns.
 */
export function proveConnection(candidate: Candidate): void {
  const checks = TOPICS.flatMap((topic) => topic.checks).filter(({ ofConnections }) => ofConnections);
  describe(candidate.name, () => {
    for (const [turn, check] of checks.entries()) {
      const its = turn % ALGORITHMS.length;
      const one = ALGORITHMS.slice(its, its + 1);
      register(check, candidate, check.ofConnections === "for each" ? ALGORITHMS : one);
    }
  });
}

function register(
  { title, needs, run }: Check,
  candidate: Candidate,
  algorithms: readonly AlgorithmCase[],
): void {
  if (needs !== undefined && candidate[needs] === undefined) {
    it.skip(`${title} (skipped: it ${LACKS[needs]})`);
    return;
  }
  for (const algorithm of algorithms) {
    it(`${title}: ${algorithm.title}`, () => run(new Bench(candidate, algorithm)));
  }
}
