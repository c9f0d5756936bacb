// `pnpm bench`: what a decision costs, as a table or, with --json, as JSON.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { measure, PARTS, type Part } from "./measure.ts";
import { drawReport, PUBLISHED } from "./publish/published.ts";
import { type Report, reportText } from "./report.ts";

const USAGE = `pnpm bench [options]

  --only <part>  ${PARTS.join(", ")}; may be given more than once
  --quick        fewer calls and rounds: whether it works, not how fast it is
  --json         prints JSON (pnpm --silent bench --json leaves pnpm's own lines out)
  --svg <file>   draws the chart as well
  --publish      writes the results, the chart and the tables that the documentation shows
  --from <file>  takes the JSON of an earlier run instead of measuring
  --help         prints this`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      svg: { type: "string" },
      publish: { type: "boolean", default: false },
      from: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const parts = new Set((values.only ?? PARTS).map(readPart));
  if (values.publish && parts.size < PARTS.length)
    throw new Error("--publish takes all parts: leave out --only");
  const report = values.from === undefined ? await measure(parts, values.quick) : readReport(values.from);
  if (values.svg !== undefined) writeFileSync(values.svg, await drawReport(report));
  if (values.publish) await publish(report);
  console.log(values.json ? JSON.stringify(report, null, 2) : reportText(report));
}

function readReport(path: string): Report {
  const report: Report = JSON.parse(readFileSync(path, "utf8"));
  return report;
}

async function publish(report: Report): Promise<void> {
  for (const { path, make } of PUBLISHED) writeFileSync(path, await make(report));
}

function readPart(name: string): Part {
  const part = PARTS.find((one) => one === name);
  if (part === undefined) throw new Error(`--only takes ${PARTS.join(", ")}, got ${name}`);
  return part;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
