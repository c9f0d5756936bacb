import type { ClientName } from "./case.ts";
import { CLIENT_NAMES } from "./case.ts";
import type { Cost } from "./cost.ts";
import type { Report } from "./report.ts";

/** Something that a run shows or does not. */
export interface Target {
  of: string;
  /** What is measured. */
  what: string;
  wanted: { atLeast: number } | { atMost: number };
  measured: number;
  isMet: boolean;
}

type Finding = Omit<Target, "isMet" | "measured"> & { measured: number | undefined };

/** Every target of which this run says something. */
export function targetsOf(report: Report): Target[] {
  const findings: Finding[] = [
    ...CLIENT_NAMES.flatMap((client) => batches(report, client)),
    ...costs(report),
    ...CLIENT_NAMES.flatMap((client) => singleCalls(report, client)),
    ...CLIENT_NAMES.map((client) => http(report, client)),
    ...inOneProcess(report),
    ...scale(report),
  ];
  return findings.flatMap(({ measured, ...finding }) => {
    if (measured === undefined) return [];
    const { wanted } = finding;
    const isMet = "atLeast" in wanted ? measured >= wanted.atLeast : measured <= wanted.atMost;
    return [{ ...finding, measured, isMet }];
  });
}

const ALLOWED = "tokenBucket, allowed";
const ALONE = "tokenBucket, allowed, batch: false";

function batches(report: Report, client: ClientName): Finding[] {
  const of = `batches, ${client}`;
  const many = throughput(report, client, ALLOWED, 200);
  const one = throughput(report, client, ALLOWED, 1);
  return [
    {
      of,
      what: "200 callers: decisions a second, in terms of rate-limiter-flexible",
      wanted: { atLeast: 3 },
      measured: many?.ofPeer.decisionsPerSecond,
    },
    {
      of,
      what: "200 callers: client CPU, in terms of rate-limiter-flexible",
      wanted: { atMost: 0.2 },
      measured: many?.ofPeer.clientCpuMicroseconds,
    },
    {
      of,
      what: "1 caller: p50, in terms of a bare EVALSHA",
      wanted: { atMost: 1.1 },
      measured: one?.ofBare.p50Ms,
    },
  ];
}

function singleCalls(report: Report, client: ClientName): Finding[] {
  const what = (callers: string): string => `${callers}: client CPU, in terms of a bare EVALSHA`;
  const cpu = (callers: number): number | undefined =>
    throughput(report, client, ALONE, callers)?.ofBare.clientCpuMicroseconds;
  const common = { of: `single calls, ${client}`, wanted: { atMost: 1.25 } };
  return [
    { ...common, what: what("1 caller"), measured: cpu(1) },
    { ...common, what: what("200 callers"), measured: cpu(200) },
  ];
}

function costs({ instructions = [] }: Report): Finding[] {
  const counted = (name: string): number | undefined =>
    instructions.find((one) => one.case === name)?.sixtyFourAtOnce;
  return [
    {
      of: "batches",
      what: "server instructions a decision, 64 at once",
      wanted: { atMost: 24_000 },
      measured: counted(ALLOWED),
    },
    {
      of: "leases",
      what: "server instructions a decision, 64 at once",
      wanted: { atMost: 1_000 },
      measured: counted("tokenBucket, leased 500 at a time"),
    },
  ];
}

function http({ http: results = [] }: Report, client: ClientName): Finding {
  return {
    of: `HTTP, 200 connections, ${client}`,
    what: "requests a second, in terms of rate-limiter-flexible",
    wanted: { atLeast: 1 },
    measured: results.find((one) => one.client === client && one.case === "tokenBucket")?.ofPeer
      .decisionsPerSecond,
  };
}

function inOneProcess({ local = [], crowds = [] }: Report): Finding[] {
  const ours = (name: string) => local.find((one) => one.case === name);
  const perSecond = "decisions a second, in terms of rate-limiter-flexible";
  const stores = ["fixedWindow", "tokenBucket"].flatMap((name): Finding[] => {
    const title = `${name}, memory store`;
    const crowd = crowds.find((one) => one.case === title);
    return [
      { of: title, what: perSecond, wanted: { atLeast: 1.5 }, measured: ours(title)?.ofPeer },
      { of: title, what: "bytes a key", wanted: { atMost: 200 }, measured: crowd?.bytesPerKey },
      {
        of: title,
        what: "p99 while all keys lapse, in terms of the p99 before",
        wanted: { atMost: 2 },
        measured: crowd && crowd.lapsing.p99Ms / crowd.steady.p99Ms,
      },
    ];
  });
  const denials = ours("tokenBucket, denyCache");
  return [
    {
      of: "deny cache",
      what: "denials a second",
      wanted: { atLeast: 2_000_000 },
      measured: denials?.decisionsPerSecond,
    },
    { of: "deny cache", what: perSecond, wanted: { atLeast: 5 }, measured: denials?.ofPeer },
    {
      of: "leases",
      what: perSecond,
      wanted: { atLeast: 20 },
      measured: ours("tokenBucket, leased 500 at a time")?.ofPeer,
    },
    ...stores,
  ];
}

function scale({ keys = [], processes = [], cluster }: Report): Finding[] {
  return [
    {
      of: "scale",
      // the way to a key that lies in no cache grows for every command
      what: `Redis CPU beyond a bare MGET with ${keys.at(-1)?.keys} keys, in terms of ${keys[0]?.keys}`,
      wanted: { atMost: 1.25 },
      measured: keys.at(-1)?.beyondGetOfFewest,
    },
    {
      of: "scale",
      what: `Redis CPU a decision with ${processes.at(-1)?.processes} processes, in terms of one`,
      wanted: { atMost: 1.1 },
      measured: processes.at(-1)?.ofFewest,
    },
    {
      of: "cluster",
      what: "commands a decision",
      wanted: { atMost: 1 },
      measured: cluster?.commandsPerDecision,
    },
    { of: "cluster", what: "redirections", wanted: { atMost: 0 }, measured: cluster?.redirections },
  ];
}

/** What a case came to, with its ratios. */
function throughput(
  { throughput: results = [] }: Report,
  client: ClientName,
  name: string,
  callers: number,
): { ofPeer: Cost; ofBare: Cost } | undefined {
  return results.find((one) => one.client === client && one.case === name && one.callers === callers);
}
