import { expect, it } from "vitest";
import type { Report } from "../src/report.ts";
import { targetsOf } from "../src/targets.ts";

const EMPTY: Report = {
  versions: { machine: "", node: "", server: "", valgrind: null, packages: {} },
  isQuick: false,
  skipped: [],
};
const BATCH = "tokenBucket, allowed";

it("says nothing of what was not measured", () => {
  expect(targetsOf(EMPTY)).toEqual([]);
});

it("tells what is met from what is missed, up to the very bound", () => {
  const instructions = (sixtyFourAtOnce: number): Report => ({
    ...EMPTY,
    instructions: [{ case: BATCH, oneAtATime: 42_000, sixtyFourAtOnce }],
  });
  expect(targetsOf(instructions(24_000))).toEqual([
    {
      of: "batches",
      what: "server instructions a decision, 64 at once",
      wanted: { atMost: 24_000 },
      measured: 24_000,
      isMet: true,
    },
  ]);
  expect(targetsOf(instructions(24_001)).map(({ isMet }) => isMet)).toEqual([false]);
});

it("looks at both clients, each in terms of its own peer", () => {
  const ratios = (decisionsPerSecond: number) => ({
    decisionsPerSecond,
    clientCpuMicroseconds: 0.2,
    redisCpuMicroseconds: 1,
    p50Ms: 1,
    p99Ms: 1,
  });
  const report: Report = {
    ...EMPTY,
    throughput: (["ioredis", "node-redis"] as const).map((client, index) => ({
      case: BATCH,
      client,
      callers: 200,
      ...ratios(100_000),
      ofBare: ratios(2),
      ofPeer: ratios(2.5 + index),
    })),
  };
  const found = targetsOf(report).filter(({ what }) => what.includes("decisions a second"));
  expect(found.map(({ of, measured, isMet }) => [of, measured, isMet])).toEqual([
    ["batches, ioredis", 2.5, false],
    ["batches, node-redis", 3.5, true],
  ]);
});
