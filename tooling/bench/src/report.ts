import type { Bytes } from "./bytes.ts";
import type { Http } from "./http/measure.ts";
import type { Instructions } from "./instructions.ts";
import type { CrowdResult } from "./local/crowds.ts";
import type { Local } from "./local/measure.ts";
import type { ClusterScale } from "./scale/cluster.ts";
import type { KeysScale } from "./scale/keys.ts";
import type { ProcessesScale } from "./scale/processes.ts";
import { targetsOf } from "./targets.ts";
import { httpText } from "./text/http.ts";
import { crowdsText, localText } from "./text/local.ts";
import { clusterText, keysText, processesText } from "./text/scale.ts";
import { bytesText, instructionsText } from "./text/server.ts";
import { targetsText } from "./text/targets.ts";
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
  http?: Http[];
  keys?: KeysScale[];
  processes?: ProcessesScale[];
  cluster?: ClusterScale;
  /** Whether it was only tried, with so few calls that the figures say little. */
  isQuick: boolean;
  /** What could not be measured here, and why. */
  skipped: string[];
}

/** A report for people. */
export function reportText(report: Report): string {
  const sections = [
    versionsText(report.versions),
    report.throughput && throughputText(report.throughput),
    report.instructions && instructionsText(report.instructions),
    report.bytes && bytesText(report.bytes),
    report.local && localText(report.local),
    report.crowds && crowdsText(report.crowds),
    report.http && httpText(report.http),
    report.keys && keysText(report.keys),
    report.processes && processesText(report.processes),
    report.cluster && clusterText(report.cluster),
    targetsText(targetsOf(report)),
    ...report.skipped,
  ];
  return sections.filter((section) => section !== undefined).join("\n\n");
}

function versionsText({ machine, node, server, packages }: Versions): string {
  const names = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `${machine}\nNode ${node}, ${server}\n${names.join(", ")}`;
}
