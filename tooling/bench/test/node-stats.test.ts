import { startCluster } from "@sluice/redis-server";
import { expect, it } from "vitest";
import { readNodeStats } from "../src/scale/node-stats.ts";

it("counts scripts, and callers that are sent to another node", async () => {
  await using cluster = await startCluster();
  const here = await cluster.primaryOf("some key");
  const elsewhere = cluster.nodes.find((node) => node !== here) ?? here;
  await here.command("EVAL", "return 1", "1", "some key");
  await expect(elsewhere.command("EVAL", "return 1", "1", "some key")).rejects.toThrow("MOVED");
  expect(await readNodeStats(here)).toEqual({ scripts: 1, redirections: 0 });
  expect((await readNodeStats(elsewhere)).redirections).toBe(1);
});
