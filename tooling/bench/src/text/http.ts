import type { Http } from "../http/measure.ts";
import { fixed, table, times, whole } from "./table.ts";

export function httpText(results: readonly Http[]): string {
  const head = [
    `HTTP, ${results[0]?.connections ?? 0} connections`,
    ...["requests/s", "of none", "of peer"],
    ...["server CPU µs", "of peer", "Redis CPU µs", "of peer"],
    ...["p50 ms", "p99 ms", "of peer"],
  ];
  const rows = results.map((one) => [
    one.client === null ? one.case : `${one.case}, ${one.client}`,
    ...[whole(one.decisionsPerSecond), times(one.ofNone.decisionsPerSecond)],
    times(one.ofPeer.decisionsPerSecond),
    ...[fixed(one.clientCpuMicroseconds, 1), times(one.ofPeer.clientCpuMicroseconds)],
    ...[fixed(one.redisCpuMicroseconds, 1), times(one.ofPeer.redisCpuMicroseconds)],
    ...[fixed(one.p50Ms, 1), fixed(one.p99Ms, 1), times(one.ofPeer.p99Ms)],
  ]);
  return table(head, rows);
}
