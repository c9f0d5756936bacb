import type { Bytes } from "./bytes.ts";
import type { Instructions } from "./instructions.ts";
import { fixed, table, whole } from "./table.ts";
import type { Throughput } from "./throughput.ts";
import type { Versions } from "./versions.ts";

/** Everything that one run measured; what was left out is missing. */
export interface Report {
  versions: Versions;
  throughput?: Throughput[];
  instructions?: Instructions[];
  bytes?: Bytes[];
  /** What could not be measured here, and why. */
  skipped: string[];
}

/** A report for people. */
export function reportText(report: Report): string {
  const { versions, throughput, instructions, bytes, skipped } = report;
  const sections = [versionsText(versions)];
  if (throughput !== undefined) sections.push(throughputText(throughput));
  if (instructions !== undefined) sections.push(instructionsText(instructions));
  if (bytes !== undefined) sections.push(bytesText(bytes));
  return [...sections, ...skipped].join("\n\n");
}

function versionsText({ machine, node, server, packages }: Versions): string {
  const names = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `${machine}\nNode ${node}, ${server}\n${names.join(", ")}`;
}

function throughputText(results: readonly Throughput[]): string {
  const callers = [...new Set(results.map((one) => one.callers))];
  return callers
    .map((count) =>
      throughputTable(
        count,
        results.filter((one) => one.callers === count),
      ),
    )
    .join("\n\n");
}

function throughputTable(callers: number, results: readonly Throughput[]): string {
  const title = callers === 1 ? "1 caller" : `${callers} callers at once`;
  const head = [title, "decisions/s", "of bare", "client CPU µs", "of bare"];
  const rows = results.map((one) => [
    one.case,
    whole(one.decisionsPerSecond),
    `× ${fixed(one.speedRatio, 2)}`,
    fixed(one.clientCpuMicroseconds, 1),
    `× ${fixed(one.clientCpuRatio, 2)}`,
  ]);
  return table(head, rows);
}

function instructionsText(results: readonly Instructions[]): string {
  const head = ["server instructions a call", "one at a time", "100 at once", "at most"];
  const rows = results.map((one) => [
    one.case,
    whole(one.oneAtATime),
    whole(one.hundredAtOnce),
    one.atMost === undefined ? "" : `${whole(one.atMost)}${one.oneAtATime > one.atMost ? " missed" : ""}`,
  ]);
  return table(head, rows);
}

function bytesText(results: readonly Bytes[]): string {
  const rows = results.map((one) => [one.case, whole(one.bytesPerKey), one.key]);
  return table(["MEMORY USAGE", "bytes a key", "key"], rows);
}
