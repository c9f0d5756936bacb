import type { ClusterScale } from "../scale/cluster.ts";
import type { KeysScale } from "../scale/keys.ts";
import type { ProcessesScale } from "../scale/processes.ts";
import { fixed, table, times, whole } from "./table.ts";

export function keysText(results: readonly KeysScale[]): string {
  const head = [
    "keys on the server",
    "Redis CPU µs",
    "of fewest",
    "bare MGET µs a key",
    "beyond it, of fewest",
  ];
  return table([...head, "server instructions"], results.map(keysCells));
}

/** What a row says of so many keys. */
export function keysCells(one: KeysScale): string[] {
  return [
    whole(one.keys),
    ...[fixed(one.redisCpuMicroseconds, 2), times(one.ofFewest)],
    ...[fixed(one.getMicroseconds, 2), times(one.beyondGetOfFewest)],
    one.instructions === null ? "" : whole(one.instructions),
  ];
}

export function processesText(results: readonly ProcessesScale[]): string {
  const head = ["processes", "decisions/s", "Redis CPU µs", "of fewest"];
  const rows = results.map((one) => [
    String(one.processes),
    ...[whole(one.decisionsPerSecond), fixed(one.redisCpuMicroseconds, 2), times(one.ofFewest)],
  ]);
  return table(head, rows);
}

export function clusterText(result: ClusterScale): string {
  const { decisionsByPrimary, commandsPerDecision, redirections, p50Ms, p50OfBare, p99Ms, p99OfBare } =
    result;
  return table(
    [`a cluster of ${result.primaries} primaries`, ""],
    [
      ["decisions by primary", decisionsByPrimary.map(whole).join(", ")],
      ["commands a decision", fixed(commandsPerDecision, 3)],
      ["redirections", whole(redirections)],
      ["p50 ms, of bare", `${fixed(p50Ms, 3)}, ${times(p50OfBare)}`],
      ["p99 ms, of bare", `${fixed(p99Ms, 3)}, ${times(p99OfBare)}`],
    ],
  );
}
