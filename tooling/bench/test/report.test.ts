import { expect, it } from "vitest";
import { type Report, reportText } from "../src/report.ts";

const VERSIONS: Report["versions"] = {
  machine: "a processor, 2 cores, linux x64",
  node: "20.19.0",
  server: "Redis 7.0.15",
  valgrind: null,
  packages: { ioredis: "6.0.0" },
};

it("prints what was measured, and what was not", () => {
  const report: Report = {
    versions: VERSIONS,
    throughput: [
      {
        case: "one",
        callers: 200,
        decisionsPerSecond: 76_543.2,
        clientCpuMicroseconds: 12.34,
        speedRatio: 1,
        clientCpuRatio: 1,
      },
    ],
    instructions: [
      { case: "one", oneAtATime: 11_700, hundredAtOnce: 9_900 },
      { case: "another", oneAtATime: 46_000, hundredAtOnce: 44_000, atMost: 45_000 },
    ],
    skipped: ["Something was not measured."],
  };
  expect(reportText(report)).toBe(
    `a processor, 2 cores, linux x64
Node 20.19.0, Redis 7.0.15
ioredis 6.0.0

200 callers at once  decisions/s  of bare  client CPU µs  of bare
one                       76,543   × 1.00           12.3   × 1.00

server instructions a call  one at a time  100 at once        at most
one                                11,700        9,900
another                            46,000       44,000  45,000 missed

Something was not measured.`,
  );
});
