import type { CrowdResult } from "../local/crowds.ts";
import type { Local } from "../local/measure.ts";
import { fixed, table, times, whole } from "./table.ts";

export function localText(results: readonly Local[]): string {
  const groups = [...new Set(results.map(({ group }) => group))];
  const tables = groups.map((group) => {
    const rows = results
      .filter((one) => one.group === group)
      .map((one) => [one.case, whole(one.decisionsPerSecond), times(one.ofPeer)]);
    return table([`one process: ${group}`, "decisions/s", "of peer"], rows);
  });
  return tables.join("\n\n");
}

export function crowdsText(results: readonly CrowdResult[]): string {
  const keys = results[0]?.keys ?? 0;
  const head = [
    `${whole(keys)} keys in memory`,
    "bytes a key",
    ...["kept: p50 ms", "p99 ms", "worst ms"],
    ...["lapsing: p50 ms", "p99 ms", "worst ms"],
  ];
  const rows = results.map(({ case: name, bytesPerKey, steady, lapsing }) => [
    name,
    whole(bytesPerKey),
    ...[steady, lapsing].flatMap(({ p50Ms, p99Ms, worstMs }) => [
      fixed(p50Ms, 2),
      fixed(p99Ms, 2),
      fixed(worstMs, 1),
    ]),
  ]);
  return table(head, rows);
}
