import { expect, it } from "vitest";
import { casesFor } from "../src/cases.ts";
import { measureThroughput } from "../src/throughput.ts";

const LOAD = [
  { callers: 1, calls: 20 },
  { callers: 10, calls: 100 },
];

it("measures every case with every number of callers, beside the bare EVALSHA", async () => {
  const results = await measureThroughput({ rounds: 2, load: LOAD });
  const names = casesFor("throughput").map(({ name }) => name);
  expect(results.map((one) => [one.callers, one.case])).toEqual(
    LOAD.flatMap(({ callers }) => names.map((name) => [callers, name])),
  );
  for (const one of results) {
    expect(one.decisionsPerSecond).toBeGreaterThan(0);
    expect(one.clientCpuMicroseconds).toBeGreaterThan(0);
  }
  const bare = results.filter((one) => one.case === "EVALSHA of return 1");
  expect(bare.map((one) => [one.speedRatio, one.clientCpuRatio])).toEqual([
    [1, 1],
    [1, 1],
  ]);
});
