import { CLIENT_NAMES } from "../case.ts";
import type { Report } from "../report.ts";
import { fixed, whole } from "../text/table.ts";
import type { Bar, Panel } from "./panel.ts";

/** What the chart shows of a report; what was not measured is left out. */
export function panelsOf(report: Report): Panel[] {
  const panels: Panel[] = [
    {
      title: "Decisions a second, in terms of rate-limiter-flexible",
      from: "one",
      bars: gains(report),
    },
    { title: "Client CPU a decision, 200 callers, in µs", from: "zero", bars: clientCpu(report) },
    {
      title: "Instructions of the Redis server a decision, 64 callers",
      from: "zero",
      bars: instructions(report),
    },
  ];
  return panels.filter(({ bars }) => bars.length > 0);
}

const BUCKET = "tokenBucket, allowed";
const PEER = "rate-limiter-flexible, allowed";

function gains({ throughput = [], http = [], local = [] }: Report): Bar[] {
  const bars: Bar[] = [];
  const add = (label: string, ratio: number | undefined, perSecond: number | undefined): void => {
    if (ratio === undefined || perSecond === undefined) return;
    bars.push({
      label,
      value: ratio,
      text: `× ${fixed(ratio, ratio < 10 ? 1 : 0)}: ${whole(perSecond)} a second`,
      kind: "ours",
    });
  };
  for (const client of CLIENT_NAMES) {
    const one = throughput.find((it) => it.case === BUCKET && it.client === client && it.callers === 200);
    add(`200 callers, ${client}`, one?.ofPeer.decisionsPerSecond, one?.decisionsPerSecond);
  }
  for (const client of CLIENT_NAMES) {
    const one = http.find((it) => it.case === "tokenBucket" && it.client === client);
    add(`HTTP server, 200 connections, ${client}`, one?.ofPeer.decisionsPerSecond, one?.decisionsPerSecond);
  }
  const titles = {
    "tokenBucket, leased 500 at a time": "leases of 500, 200 callers, ioredis",
    "tokenBucket, denyCache": "denials without the store",
    "fixedWindow, memory store": "memory store, fixed window",
    "tokenBucket, memory store": "memory store, token bucket",
  };
  for (const [name, title] of Object.entries(titles)) {
    const one = local.find((it) => it.case === name);
    add(title, one?.ofPeer, one?.decisionsPerSecond);
  }
  return bars;
}

function clientCpu({ throughput = [] }: Report): Bar[] {
  return CLIENT_NAMES.flatMap((client) =>
    [BUCKET, `${BUCKET}, batch: false`, PEER, "EVALSHA of return 1", "INCR"].flatMap((name): Bar[] => {
      const one = throughput.find((it) => it.case === name && it.client === client && it.callers === 200);
      if (one === undefined) return [];
      const value = one.clientCpuMicroseconds;
      return [{ label: `${shortened(name)}, ${client}`, value, text: fixed(value, 1), kind: kindOf(name) }];
    }),
  );
}

function instructions({ instructions: counted = [] }: Report): Bar[] {
  const names = [
    ...["tokenBucket, leased 500 at a time", BUCKET, `${BUCKET}, batch: false`, PEER],
    ...["rate-limit-redis, counted", "@upstash/ratelimit fixedWindow, allowed"],
    ...["@upstash/ratelimit slidingWindow, allowed", "@upstash/ratelimit tokenBucket, allowed"],
    ...["EVALSHA of return 1", "INCR"],
  ];
  return names.flatMap((name): Bar[] => {
    const value = counted.find((it) => it.case === name)?.sixtyFourAtOnce;
    if (value === undefined) return [];
    return [{ label: shortened(name), value, text: whole(value), kind: kindOf(name) }];
  });
}

function shortened(name: string): string {
  return name.replace(/, (allowed|counted)/, "");
}

function kindOf(name: string): Bar["kind"] {
  if (name.startsWith("tokenBucket")) return "ours";
  return name.startsWith("EVALSHA") || name === "INCR" ? "floor" : "peer";
}
