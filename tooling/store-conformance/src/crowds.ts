import { fileURLToPath } from "node:url";
import { runAlone } from "@sluice/run-alone";
import { expect } from "vitest";
import type { Bench } from "./bench.ts";
import type { Candidate } from "./candidate.ts";
import type { Check, Topic } from "./check.ts";
import { CROWD_LIMIT, type CrowdReport } from "./crowd.ts";
import { KEY, LONG_MS } from "./usage.ts";

const CALLERS = 1_000;
const LIMIT = 5;

const inOneProcess: Check = {
  title: `grants ${LIMIT} of ${CALLERS} calls at once under a limit of ${LIMIT}`,
  ofConnections: "for one",
  async run(bench) {
    const limiter = bench.realTimeLimiter(LIMIT, LONG_MS);
    const decisions = await Promise.all(Array.from({ length: CALLERS }, () => limiter.consume(KEY)));
    const granted = decisions.filter(({ allowed }) => allowed);
    expect(granted.map(({ remaining }) => remaining).sort()).toEqual([0, 1, 2, 3, 4]);
  },
};

const ofSeveralSizes: Check = {
  title: "judges each of several calls at once by its own cost and its own reserve",
  ofConnections: "for one",
  async run(bench) {
    const limiter = bench.limiter(10, 60_000);
    const calls = [
      { cost: 6 },
      { cost: 5 },
      { cost: 2, reserve: 3 },
      { cost: 3, atLeast: 1, reserve: 2 },
      { cost: 5, atLeast: 0 },
    ];
    const decisions = await Promise.all(calls.map((call) => limiter.consume(KEY, call)));
    expect(decisions.map(({ taken }) => taken)).toEqual([6, 0, 0, 2, 2]);
  },
};

const inSeveralProcesses: Check = {
  title: `grants the callers of several processes exactly ${CROWD_LIMIT}, the limit, in all`,
  needs: "program",
  async run(bench) {
    const { [bench.algorithm.title]: remaining = [] } = await crowdOf(bench);
    const each = Array.from({ length: CROWD_LIMIT }, (_, i) => i);
    expect(remaining.sort((one, other) => one - other)).toEqual(each);
  },
};

/** One crowd serves the checks of every algorithm. */
const crowds = new WeakMap<Candidate, Promise<CrowdReport>>();

function crowdOf(bench: Bench): Promise<CrowdReport> {
  const { candidate } = bench;
  const crowd = crowds.get(candidate) ?? gatherCrowd(bench);
  crowds.set(candidate, crowd);
  return crowd;
}

async function gatherCrowd(bench: Bench): Promise<CrowdReport> {
  const { program, servers } = bench.candidate;
  if (program === undefined) throw new Error(`${bench.candidate.name} handed over no program`);
  // all processes then find at once that the scripts are missing
  if (servers !== undefined) await bench.flushScripts();
  const { code, stdout, stderr } = await runAlone(fileURLToPath(program.path), bench.prefix, ...program.args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** Parallel callers are granted what one caller in sequence would be. */
export const crowdTopic: Topic = {
  title: "crowds",
  checks: [inOneProcess, ofSeveralSizes, inSeveralProcesses],
};
