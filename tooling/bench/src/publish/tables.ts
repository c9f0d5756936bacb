import type { Report } from "../report.ts";
import { targetsOf } from "../targets.ts";
import { keysCells } from "../text/scale.ts";
import { fixed, times, whole } from "../text/table.ts";
import { targetCells } from "../text/targets.ts";
import { markdownTable } from "./section.ts";

/** What the README says of a run, and with what it was measured. */
export function readmeTables(report: Report): string {
  return [callsTable(report), machineLine(report)].join("\n\n");
}

/** All targets. */
export function targetsTable(report: Report): string {
  return markdownTable(["target", "of", "wanted", "measured", ""], targetCells(targetsOf(report)));
}

/** With what a run was made. */
export function machineLine({ versions, isQuick }: Report): string {
  const { machine, node, server, packages } = versions;
  const clients = ["ioredis", "redis", "rate-limiter-flexible", "rate-limit-redis", "@upstash/ratelimit"];
  const names = clients.map((name) => `${name} ${packages[name] ?? ""}`).join(", ");
  const quick = isQuick ? " Only tried, with few calls (`--quick`): these figures say little." : "";
  return `Measured on: ${machine}, client and server on the same machine. Node ${node}, ${server}, ${names}.${quick}`;
}

/** What a decision costs where there are more keys, or more processes, and in a cluster. */
export function growthTables({ keys = [], processes = [], cluster }: Report): string {
  const keysHead = [
    "keys",
    "Redis CPU µs a decision",
    "of fewest",
    "a bare `MGET`, a key",
    "beyond it, of fewest",
  ];
  const processRows = processes.map((one) => [
    String(one.processes),
    ...[fixed(one.redisCpuMicroseconds, 2), times(one.ofFewest)],
  ]);
  const tables = [
    markdownTable([...keysHead, "server instructions"], keys.map(keysCells)),
    markdownTable(["processes", "Redis CPU µs a decision", "of one"], processRows),
  ];
  if (cluster !== undefined) {
    const row = [
      cluster.decisionsByPrimary.join(", "),
      ...[fixed(cluster.commandsPerDecision, 2), String(cluster.redirections)],
      ...[times(cluster.p50OfBare), times(cluster.p99OfBare)],
    ];
    const head = ["decisions by primary", "commands a decision", "redirections"];
    tables.push(markdownTable([...head, "p50, of a bare `EVALSHA`", "p99, of a bare `EVALSHA`"], [row]));
  }
  return tables.join("\n\n");
}

function callsTable({ throughput = [] }: Report): string {
  const names = ["EVALSHA of return 1", "tokenBucket, allowed", "rate-limiter-flexible, allowed"];
  const rows = throughput
    .filter((one) => names.includes(one.case))
    .map((one) => [
      `\`${one.case.replace(/, (allowed|counted)/, "")}\``,
      ...[one.client, String(one.callers)],
      ...[whole(one.decisionsPerSecond), times(one.ofPeer.decisionsPerSecond)],
      ...[fixed(one.clientCpuMicroseconds, 1), times(one.ofPeer.clientCpuMicroseconds)],
      ...[fixed(one.redisCpuMicroseconds, 1), fixed(one.p50Ms, 2), fixed(one.p99Ms, 2)],
    ]);
  const head = ["", "client", "callers", "decisions/s", "of peer", "client CPU µs", "of peer"];
  return markdownTable([...head, "Redis CPU µs", "p50 ms", "p99 ms"], rows);
}

/** What a decision costs the server, and a key. */
export function serverTable({ instructions = [], bytes = [] }: Report): string {
  const rows = instructions.map((one) => [
    `\`${one.case}\``,
    ...[whole(one.oneAtATime), whole(one.sixtyFourAtOnce)],
    whole(bytes.find((it) => it.case === one.case)?.bytesPerKey ?? Number.NaN).replace("NaN", ""),
  ]);
  return markdownTable(["Redis instructions a decision", "one at a time", "64 at once", "bytes a key"], rows);
}
