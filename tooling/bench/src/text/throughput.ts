import type { Throughput } from "../throughput.ts";
import { fixed, table, times, whole } from "./table.ts";

/** A table for each client and number of callers. */
export function throughputText(results: readonly Throughput[]): string {
  const groups = new Map<string, Throughput[]>();
  for (const one of results) {
    const title = `${one.client}, ${one.callers === 1 ? "1 caller" : `${one.callers} callers at once`}`;
    groups.set(title, [...(groups.get(title) ?? []), one]);
  }
  return [...groups].map(([title, group]) => throughputTable(title, group)).join("\n\n");
}

/** "of bare" is in terms of a bare EVALSHA, "of peer" in terms of rate-limiter-flexible, both on the same client. */
function throughputTable(title: string, results: readonly Throughput[]): string {
  const head = [
    title,
    ...["decisions/s", "of bare", "of peer"],
    ...["client CPU µs", "of bare", "of peer"],
    ...["Redis CPU µs", "of peer"],
    ...["p50 ms", "of bare", "p99 ms"],
  ];
  const rows = results.map((one) => [
    one.case,
    ...[whole(one.decisionsPerSecond), ...bothRatios(one, "decisionsPerSecond")],
    ...[fixed(one.clientCpuMicroseconds, 1), ...bothRatios(one, "clientCpuMicroseconds")],
    ...[fixed(one.redisCpuMicroseconds, 1), times(one.ofPeer.redisCpuMicroseconds)],
    ...[fixed(one.p50Ms, 3), times(one.ofBare.p50Ms), fixed(one.p99Ms, 3)],
  ]);
  return table(head, rows);
}

function bothRatios({ ofBare, ofPeer }: Throughput, figure: keyof Throughput["ofBare"]): string[] {
  return [times(ofBare[figure]), times(ofPeer[figure])];
}
