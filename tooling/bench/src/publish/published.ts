import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../../scripts/root.js";
import type { Report } from "../report.ts";
import { reportText } from "../report.ts";
import { drawChart } from "./chart.ts";
import { panelsOf } from "./panels.ts";
import { reckoningTable } from "./reckoning.ts";
import { replaceSection } from "./section.ts";
import { growthTables, machineLine, readmeTables, serverTable, targetsTable } from "./tables.ts";

/** The committed results, from which everything else that is published is made. */
export const RESULTS_PATH: string = join(ROOT, "docs/pictures/bench.json");

/** A file with figures, and what is in it. */
export interface Published {
  name: string;
  path: string;
  make(report: Report): Promise<string>;
}

export const PUBLISHED: readonly Published[] = [
  published("docs/pictures/bench.json", async (report) => `${JSON.stringify(report, null, 1)}\n`),
  published("docs/pictures/bench.svg", drawReport),
  published("README.md", async (report, text) => replaceSection(text, "bench", readmeTables(report))),
  published("docs/benchmarks.md", async (report, text) => {
    const withTargets = replaceSection(text, "targets", targetsTable(report));
    const withServer = replaceSection(withTargets, "server", serverTable(report));
    return replaceSection(withServer, "all", `\`\`\`\n${reportText(report)}\n\`\`\``);
  }),
  published("docs/scaling.md", async (report, text) => {
    const reckoned = `${reckoningTable(report)}\n\n${machineLine(report)}`;
    return replaceSection(replaceSection(text, "reckoning", reckoned), "growth", growthTables(report));
  }),
];

/** The results that are committed. */
export function readResults(): Report {
  const report: Report = JSON.parse(readFileSync(RESULTS_PATH, "utf8"));
  return report;
}

/** The chart of a report. */
export function drawReport(report: Report): Promise<string> {
  const { node, server, machine } = report.versions;
  return drawChart(panelsOf(report), `${machine}; Node ${node}, ${server}; npm run bench`);
}

function published(name: string, make: (report: Report, text: string) => Promise<string>): Published {
  const path = join(ROOT, name);
  return {
    name,
    path,
    make: (report) => make(report, name.endsWith(".md") ? readFileSync(path, "utf8") : ""),
  };
}
