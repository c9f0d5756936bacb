import { expect, it } from "vitest";
import { casesFor } from "../src/cases.ts";
import { measureThroughput } from "../src/throughput.ts";

const LOAD = [
  { callers: 1, calls: 20 },
  { callers: 10, calls: 100 },
];
const ONE = {
  decisionsPerSecond: 1,
  clientCpuMicroseconds: 1,
  redisCpuMicroseconds: 1,
  p50Ms: 1,
  p99Ms: 1,
};

it("measures every case on its client with every number of callers, beside its baseline and its peer", async () => {
  const results = await measureThroughput({ rounds: 2, load: LOAD });
  const cases = casesFor("throughput").map(({ name, by = "ioredis" }) => [by, name]);
  expect(results.map((one) => [one.callers, one.client, one.case])).toEqual(
    LOAD.flatMap(({ callers }) => cases.map((names) => [callers, ...names])),
  );
  for (const one of results) {
    expect(one.decisionsPerSecond).toBeGreaterThan(0);
    expect(one.clientCpuMicroseconds).toBeGreaterThan(0);
    expect(one.redisCpuMicroseconds).toBeGreaterThan(0);
    expect(one.p99Ms).toBeGreaterThanOrEqual(one.p50Ms);
  }
  const bare = results.filter((one) => one.case === "EVALSHA of return 1");
  expect(bare.map((one) => one.ofBare)).toEqual([ONE, ONE, ONE, ONE]);
  const peer = results.filter((one) => one.case === "rate-limiter-flexible, allowed");
  expect(peer.map((one) => one.ofPeer)).toEqual([ONE, ONE, ONE, ONE]);
});
