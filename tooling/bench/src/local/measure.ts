import { startRedis } from "@sluice/redis-server";
import type { Child } from "../child/child.ts";
import { programAt } from "../child/program.ts";
import { median } from "../median.ts";
import { inRounds } from "../rounds.ts";
import { GROUPS, type Group, type LocalCase } from "./case.ts";
import { localCases } from "./cases.ts";

export interface LocalOptions {
  rounds: number;
  /** Which share of the calls of a case make a sample: 1 to measure. */
  share: number;
  progress?(message: string): void;
}

export interface Local {
  case: string;
  group: Group;
  /** The median over the rounds, of callers who wait for each decision. */
  decisionsPerSecond: number;
  /** The median of each round's ratio to the peer of the group. */
  ofPeer: number;
}

interface Contestant {
  subject: LocalCase;
  child: Child;
}

/** Decisions a second within one process, each case in a process of its own; one of them works at a time. */
export async function measureLocal(options: LocalOptions): Promise<Local[]> {
  await using redis = await startRedis();
  await using program = await programAt(new URL("./process.ts", import.meta.url));
  const results: Local[] = [];
  for (const group of GROUPS) {
    options.progress?.(`local: ${group}, ${options.rounds} rounds`);
    await redis.command("FLUSHALL");
    const contestants: Contestant[] = [];
    for (const subject of localCases().filter((one) => one.group === group)) {
      contestants.push({ subject, child: await program.start(subject.name, redis.url) });
    }
    const sample = ({ subject, child }: Contestant): Promise<number> =>
      child.ask(Math.ceil(subject.calls * options.share));
    for (const contestant of contestants) await sample(contestant);
    results.push(...summarise(await inRounds(contestants, options.rounds, sample)));
    for (const { child } of contestants) await child.stop();
  }
  return results;
}

function summarise(all: ReadonlyMap<Contestant, number[]>): Local[] {
  const peer = [...all].find(([{ subject }]) => subject.isPeer)?.[1] ?? [];
  return [...all].map(([{ subject }, samples]) => ({
    case: subject.name,
    group: subject.group,
    decisionsPerSecond: median(samples),
    ofPeer: median(samples.map((one, round) => one / (peer[round] ?? one))),
  }));
}
