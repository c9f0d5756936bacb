import { programAt } from "../child/program.ts";
import { CROWD_CASES } from "./crowd-cases.ts";
import type { CrowdAnswer, CrowdOrder } from "./crowd-process.ts";

export interface CrowdOptions {
  keys: number;
  /** How long a key lives. */
  windowMs: number;
  progress?(message: string): void;
}

export interface CrowdResult extends CrowdAnswer {
  case: string;
  keys: number;
}

/** What many keys take in the memory of a process, and what is felt of it when they all lapse. */
export async function measureCrowds({ keys, windowMs, progress }: CrowdOptions): Promise<CrowdResult[]> {
  await using program = await programAt(new URL("./crowd-process.ts", import.meta.url));
  const results: CrowdResult[] = [];
  for (const { name } of CROWD_CASES) {
    progress?.(`memory: ${name}, ${keys} keys`);
    const child = await program.start();
    const order: CrowdOrder = { name, keys, windowMs };
    results.push({ case: name, keys, ...(await child.ask<CrowdAnswer>(order)) });
    await child.stop();
  }
  return results;
}
