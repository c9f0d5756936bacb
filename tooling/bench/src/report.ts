import type { Bytes } from "./bytes.ts";
import type { Instructions } from "./instructions.ts";
import type { CrowdResult } from "./local/crowds.ts";
import type { Local } from "./local/measure.ts";
import { crowdsText, localText } from "./text/local.ts";
import { bytesText, instructionsText } from "./text/server.ts";
import { throughputText } from "./text/throughput.ts";
import type { Throughput } from "./throughput.ts";
import type { Versions } from "./versions.ts";

/** Everything that one run measured; what was left out is missing. */
export interface Report {
  versions: Versions;
  throughput?: Throughput[];
  instructions?: Instructions[];
  bytes?: Bytes[];
  local?: Local[];
  crowds?: CrowdResult[];
  /** What could not be measured here, and why. */
  skipped: string[];
}

/** A report for people. */
export function reportText(report: Report): string {
  const { versions, throughput, instructions, bytes, local, crowds, skipped } = report;
  const sections = [versionsText(versions)];
  if (throughput !== undefined) sections.push(throughputText(throughput));
  if (instructions !== undefined) sections.push(instructionsText(instructions));
  if (bytes !== undefined) sections.push(bytesText(bytes));
  if (local !== undefined) sections.push(localText(local));
  if (crowds !== undefined) sections.push(crowdsText(crowds));
  return [...sections, ...skipped].join("\n\n");
}

function versionsText({ machine, node, server, packages }: Versions): string {
  const names = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `${machine}\nNode ${node}, ${server}\n${names.join(", ")}`;
}
