import { expect, it } from "vitest";
import { type Report, reportText } from "../src/report.ts";

const VERSIONS: Report["versions"] = {
  machine: "a processor, 2 cores, linux x64",
  node: "20.19.0",
  server: "Redis 7.0.15",
  valgrind: null,
  packages: { ioredis: "6.0.0" },
};
const COST = {
  decisionsPerSecond: 76_543.2,
  clientCpuMicroseconds: 12.34,
  redisCpuMicroseconds: 10.06,
  p50Ms: 2.5,
  p99Ms: 4.25,
};
const RATIOS = {
  decisionsPerSecond: 1.5,
  clientCpuMicroseconds: 0.25,
  redisCpuMicroseconds: 0.5,
  p50Ms: 1.04,
  p99Ms: 1.1,
};

it("prints what was measured, and what was not", () => {
  const report: Report = {
    versions: VERSIONS,
    throughput: [{ case: "one", client: "ioredis", callers: 200, ...COST, ofBare: RATIOS, ofPeer: RATIOS }],
    instructions: [
      { case: "one", oneAtATime: 11_700, sixtyFourAtOnce: 9_900 },
      { case: "another", oneAtATime: 46_000, sixtyFourAtOnce: 44_000, atMost: 45_000 },
    ],
    isQuick: false,
    skipped: ["Something was not measured."],
  };
  expect(reportText(report)).toMatchInlineSnapshot(`
    "a processor, 2 cores, linux x64
    Node 20.19.0, Redis 7.0.15
    ioredis 6.0.0

    ioredis, 200 callers at once  decisions/s  of bare  of peer  client CPU µs  of bare  of peer  Redis CPU µs  of peer  p50 ms  of bare  p99 ms
    one                                76,543   × 1.50   × 1.50           12.3   × 0.25   × 0.25          10.1   × 0.50   2.500   × 1.04   4.250

    server instructions a call  one at a time  64 at once        at most
    one                                11,700       9,900
    another                            46,000      44,000  45,000 missed

    Something was not measured."
  `);
});
