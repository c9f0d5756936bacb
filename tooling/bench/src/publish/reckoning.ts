import type { Report } from "../report.ts";
import { whole } from "../text/table.ts";
import { markdownTable } from "./section.ts";

/** A way to decide, and how far one core carries it. */
interface Way {
  way: string;
  /** Undefined where the run did not measure it. */
  decisionsPerSecond: number | undefined;
  bound: string;
}

const BUCKET = "tokenBucket, allowed";
const PRIMARIES = 3;
const PORTION = 500;

/** How far each way carries on paper: a core's second, divided by what a decision takes of it. */
export function reckoningTable(report: Report): string {
  const single = perCore(redisCpu(report, `${BUCKET}, batch: false`));
  const ways: Way[] = [
    {
      way: "Redis, one call at a time",
      decisionsPerSecond: perCore(redisCpu(report, `${BUCKET}, batch: false`, 1)),
      bound: "one core of Redis, which wakes up for each",
    },
    { way: "Redis, one call each, many at a time", decisionsPerSecond: single, bound: "one core of Redis" },
    {
      way: "Redis, batches",
      decisionsPerSecond: perCore(redisCpu(report, BUCKET)),
      bound: "one core of Redis",
    },
    {
      way: `cluster of ${PRIMARIES}, one call each, many at a time`,
      decisionsPerSecond: single && PRIMARIES * single,
      bound: "a core of each primary, keys spread evenly",
    },
    {
      way: `leases of ${PORTION}, all used`,
      // one call takes a portion, and another one gives back what is left of it
      decisionsPerSecond: single && (PORTION / 2) * single,
      bound: "one core of Redis: two calls a portion",
    },
    {
      way: `the same, in one process`,
      decisionsPerSecond: local(report, `tokenBucket, leased ${PORTION} at a time`),
      bound: "the process, as measured",
    },
    {
      way: "memory store",
      decisionsPerSecond: local(report, "tokenBucket, memory store"),
      bound: "the process, as measured",
    },
  ];
  const rows = ways.flatMap(({ way, decisionsPerSecond, bound }) =>
    decisionsPerSecond === undefined ? [] : [[way, whole(rounded(decisionsPerSecond)), bound]],
  );
  return markdownTable(["", "decisions a second", "bounded by"], rows);
}

/** Of a call through ioredis. */
function redisCpu({ throughput = [] }: Report, name: string, callers = 200): number | undefined {
  return throughput.find((one) => one.case === name && one.client === "ioredis" && one.callers === callers)
    ?.redisCpuMicroseconds;
}

function perCore(microseconds: number | undefined): number | undefined {
  return microseconds && 1_000_000 / microseconds;
}

function local({ local: results = [] }: Report, name: string): number | undefined {
  return results.find((one) => one.case === name)?.decisionsPerSecond;
}

/** To two digits, which is more than such a reckoning is good for. */
function rounded(value: number): number {
  return Number(value.toPrecision(2));
}
