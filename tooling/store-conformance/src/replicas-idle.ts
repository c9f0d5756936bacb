import type { RedisCluster, RedisServer } from "@sluice/redis-server";
import { describe, expect, it } from "vitest";
import { ALGORITHMS } from "./algorithms.ts";
import type { Stores } from "./candidate.ts";
import { flushScripts } from "./cluster-ground.ts";
import { LONG_MS } from "./usage.ts";

const USERS = Array.from({ length: 20 }, (_, index) => `user:${index}`);

/** Registers that no replica of a cluster is asked, for stores whose clients were told to read from replicas. */
export function proveReplicasIdle(cluster: RedisCluster, stores: Stores): void {
  describe("a client that reads from replicas", () => {
    for (const [index, [name, open]] of Object.entries(stores).entries()) {
      it(`has limits decided by primaries alone, ${name}`, async () => {
        const [primaries, replicas] = await byRole(cluster);
        await flushScripts(cluster);
        for (const node of cluster.nodes) await node.command("CONFIG", "RESETSTAT");
        const store = open({ prefix: `idle-${index}`, timeoutMs: 8_000 });
        for (const { make } of ALGORITHMS) {
          const limiter = make({ name: "proof", store, limit: 5, windowMs: LONG_MS });
          const decisions = await Promise.all(USERS.map((user) => limiter.consume(user)));
          expect(decisions.map(({ remaining }) => remaining)).toEqual(USERS.map(() => 4));
          await Promise.all(decisions.map((decision) => limiter.refund(decision)));
          await Promise.all(USERS.map((user) => limiter.peek(user)));
          await Promise.all(USERS.map((user) => limiter.reset(user)));
        }
        expect(await Promise.all(primaries.map(scriptsRunOn))).not.toContain(0);
        expect(await Promise.all(replicas.map(scriptsRunOn))).toEqual(replicas.map(() => 0));
      });
    }
  });
}

async function byRole({ nodes }: RedisCluster): Promise<[RedisServer[], RedisServer[]]> {
  const roles = await Promise.all(nodes.map((node) => node.command("ROLE")));
  const having = (role: string): RedisServer[] =>
    nodes.filter((_, index) => String(roles[index]).startsWith(role));
  return [having("master"), having("slave")];
}

/** How often the server was asked for a script, whether or not it had it. */
async function scriptsRunOn(server: RedisServer): Promise<number> {
  const stats = String(await server.command("INFO", "commandstats"));
  const lines = stats.matchAll(/^cmdstat_eval\w*:calls=(\d+)(?:.*rejected_calls=(\d+))?/gm);
  return [...lines].reduce((sum, [, calls, rejected = 0]) => sum + Number(calls) + Number(rejected), 0);
}
