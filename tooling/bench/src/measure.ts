import { measureBytes } from "./bytes.ts";
import { valgrindVersion } from "./callgrind.ts";
import { measureHttp } from "./http/measure.ts";
import { countAllInstructions } from "./instructions.ts";
import { measureCrowds } from "./local/crowds.ts";
import { measureLocal } from "./local/measure.ts";
import type { Report } from "./report.ts";
import { measureCluster } from "./scale/cluster.ts";
import { measureKeys } from "./scale/keys.ts";
import { measureProcesses } from "./scale/processes.ts";
import { measureThroughput } from "./throughput.ts";
import { readVersions } from "./versions.ts";

export const PARTS = ["throughput", "instructions", "bytes", "local", "http", "scale"] as const;
export type Part = (typeof PARTS)[number];

/** What a part adds to the report. */
type Measured = Partial<Omit<Report, "versions" | "isQuick">>;

const progress = (message: string): void => console.error(message);

/** Measures some parts, one after the other; quickly to see whether it works. */
export async function measure(parts: ReadonlySet<Part>, quick: boolean): Promise<Report> {
  const report: Report = { versions: await readVersions(), isQuick: quick, skipped: [] };
  for (const part of PARTS.filter((one) => parts.has(one))) {
    const measured = await MEASURES[part](quick);
    Object.assign(report, measured, { skipped: [...report.skipped, ...(measured.skipped ?? [])] });
  }
  return report;
}

const MEASURES: Readonly<Record<Part, (quick: boolean) => Promise<Measured>>> = {
  async throughput(quick) {
    const load = [
      { callers: 1, calls: quick ? 150 : 1_500 },
      { callers: 200, calls: quick ? 1_500 : 12_000 },
    ];
    return { throughput: await measureThroughput({ rounds: quick ? 2 : 12, load, progress }) };
  },
  async instructions(quick) {
    if (valgrindVersion() === undefined) {
      return {
        skipped: [
          "Server instructions were not counted: that takes valgrind, with callgrind_control, on the PATH.",
        ],
      };
    }
    return { instructions: await countAllInstructions({ calls: quick ? 256 : 6_400, progress }) };
  },
  async bytes() {
    return { bytes: await measureBytes() };
  },
  async local(quick) {
    const crowd = quick ? { keys: 50_000, windowMs: 6_000 } : { keys: 1_000_000, windowMs: 15_000 };
    return {
      local: await measureLocal({ rounds: quick ? 2 : 12, share: quick ? 0.1 : 1, progress }),
      crowds: await measureCrowds({ ...crowd, progress }),
    };
  },
  async http(quick) {
    const requests = quick ? 3_000 : 30_000;
    return { http: await measureHttp({ rounds: quick ? 1 : 8, connections: 200, requests, progress }) };
  },
  async scale(quick) {
    const rounds = quick ? 2 : 10;
    const calls = quick ? 1_280 : 12_800;
    const counts = quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000];
    return {
      keys: await measureKeys({ rounds, calls, counts, progress }),
      processes: await measureProcesses({ rounds, calls: 2 * calls, counts: [1, 2, 4], progress }),
      cluster: await measureCluster({ rounds, calls: calls / 10, progress }),
    };
  },
};
