// `pnpm bench`: what a decision costs, as a table or, with --json, as JSON.
import { parseArgs } from "node:util";
import { measure, PARTS, type Part } from "./measure.ts";
import { reportText } from "./report.ts";

const USAGE = `pnpm bench [options]

  --only <part>  ${PARTS.join(", ")}; may be given more than once
  --quick        fewer calls and rounds: whether it works, not how fast it is
  --json         prints JSON (pnpm --silent bench --json leaves pnpm's own lines out)
  --help         prints this`;

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
  const report = await measure(new Set((values.only ?? PARTS).map(readPart)), values.quick);
  console.log(values.json ? JSON.stringify(report, null, 2) : reportText(report));
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
