// `pnpm bench`: what a decision costs, as a table or, with --json, as JSON.
import { parseArgs } from "node:util";
import { measureBytes } from "./bytes.ts";
import { valgrindVersion } from "./callgrind.ts";
import { countAllInstructions } from "./instructions.ts";
import { measureCrowds } from "./local/crowds.ts";
import { measureLocal } from "./local/measure.ts";
import { type Report, reportText } from "./report.ts";
import { measureThroughput } from "./throughput.ts";
import { readVersions } from "./versions.ts";

const PARTS = ["throughput", "instructions", "bytes", "local"];
const USAGE = `pnpm bench [options]

  --only <part>  ${PARTS.join(", ")}; may be given more than once
  --quick        fewer calls and rounds: whether it works, not how fast it is
  --json         prints JSON (pnpm --silent bench --json leaves pnpm's own lines out)
  --help         prints this`;

const progress = (message: string): void => console.error(message);

async function measure(parts: ReadonlySet<string>, quick: boolean): Promise<Report> {
  const report: Report = { versions: await readVersions(), skipped: [] };
  if (parts.has("throughput")) {
    const divisor = quick ? 10 : 1;
    const load = [
      { callers: 1, calls: 1_500 / divisor },
      { callers: 200, calls: 12_000 / divisor },
    ];
    report.throughput = await measureThroughput({ rounds: quick ? 2 : 12, load, progress });
  }
  if (parts.has("instructions")) {
    if (valgrindVersion() === undefined) {
      report.skipped.push(
        "Server instructions were not counted: that takes valgrind, with callgrind_control, on the PATH.",
      );
    } else {
      report.instructions = await countAllInstructions({ calls: quick ? 256 : 6_400, progress });
    }
  }
  if (parts.has("bytes")) report.bytes = await measureBytes();
  if (parts.has("local")) {
    report.local = await measureLocal({ rounds: quick ? 2 : 12, share: quick ? 0.1 : 1, progress });
    const crowd = quick ? { keys: 50_000, windowMs: 2_000 } : { keys: 1_000_000, windowMs: 12_000 };
    report.crowds = await measureCrowds({ ...crowd, progress });
  }
  return report;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const parts = new Set(values.only ?? PARTS);
  const stranger = [...parts].find((part) => !PARTS.includes(part));
  if (stranger !== undefined) throw new Error(`--only takes ${PARTS.join(", ")}, got ${stranger}`);
  const report = await measure(parts, values.quick);
  console.log(values.json ? JSON.stringify(report, null, 2) : reportText(report));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
