import { startRedis } from "@sluice/redis-server";
import { expect, it } from "vitest";
import { measureCluster } from "../src/scale/cluster.ts";
import { crowdedServer } from "../src/scale/crowded-server.ts";
import { measureProcesses } from "../src/scale/processes.ts";

it("fills a server with states that decisions go on from", async () => {
  await using redis = await startRedis();
  const server = await crowdedServer(redis);
  await server.fill(10_500);
  expect(await redis.command("DBSIZE")).toBe(10_500);
  const before = await redis.command("GET", "sluice:b:bucket.1:{user:0007919}");
  expect(before).not.toBeNull();
  await server.decide();
  expect(await redis.command("GET", "sluice:b:bucket.1:{user:0007919}")).not.toBe(before);
  expect(await redis.command("DBSIZE")).toBe(10_500);
  const read = await server.get(3);
  expect(read).toHaveLength(3);
  expect(read).not.toContain(null);
  server.close();
});

it("shares decisions among processes", async () => {
  const results = await measureProcesses({ rounds: 1, calls: 100, counts: [1, 2] });
  expect(results.map(({ processes }) => processes)).toEqual([1, 2]);
  expect(results[0]?.ofFewest).toBe(1);
  for (const one of results) expect(one.redisCpuMicroseconds).toBeGreaterThan(0);
});

it("finds every key of a cluster at once: a decision is one command, and none is sent elsewhere", async () => {
  const { commandsPerDecision, redirections, decisionsByPrimary } = await measureCluster({
    rounds: 1,
    calls: 10,
  });
  expect(commandsPerDecision).toBe(1);
  expect(redirections).toBe(0);
  expect(decisionsByPrimary).toHaveLength(3);
  for (const decisions of decisionsByPrimary) expect(decisions).toBeGreaterThan(250);
});
