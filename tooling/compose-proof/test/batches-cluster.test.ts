import type { Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { ioredisStore } from "@sluice/ioredis";
import { startCluster } from "@sluice/redis-server";
import { tokenBucket } from "@sluice/token-bucket";
import { Cluster } from "ioredis";
import { afterAll, describe, expect, it } from "vitest";
import { oneOfEach } from "../src/one-of-each.ts";

const cluster = await startCluster();
const client = new Cluster(cluster.nodes.map(({ host, port }) => ({ host, port })));
afterAll(async () => {
  client.disconnect();
  await cluster.stop();
});

const USERS = Array.from({ length: 60 }, (_, i) => `user-${i}`);
let prefixes = 0;

function newStore(batch?: false): Store {
  return ioredisStore(client, { prefix: `batches-${prefixes++}`, timeoutMs: 10_000, batch });
}

/** How many commands of scripts the nodes have run so far. */
async function scriptCalls(): Promise<number> {
  const counts = cluster.nodes.map(async (node) => {
    const stats = String(await node.command("INFO", "commandstats"));
    const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)];
    return calls.reduce((sum, [, count]) => sum + Number(count), 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count);
}

describe("in a cluster, calls of one turn", () => {
  it("of many users are all answered right, wherever their keys lie", async () => {
    const limiters = oneOfEach(newStore(), 3);
    const calls = USERS.flatMap((user) => limiters.map((limiter) => ({ user, limiter })));
    for (const remaining of [2, 1, 0]) {
      const decisions = await Promise.all(calls.map(({ user, limiter }) => limiter.consume(user)));
      for (const [i, { user, limiter }] of calls.entries()) {
        expect(decisions[i]).toMatchObject({ allowed: true, remaining, key: user, name: limiter.name });
      }
    }
    const denied = await Promise.all(calls.map(({ user, limiter }) => limiter.consume(user)));
    expect(denied.some(({ allowed }) => allowed)).toBe(false);
  });

  it("go one by one, whosever they are", async () => {
    const limiters = oneOfEach(newStore(), 9);
    const ask = (...users: string[]) =>
      Promise.all(users.flatMap((user) => limiters.map((limiter) => limiter.consume(user))));
    // until every node has the scripts
    await ask(...USERS);
    let before = await scriptCalls();
    await ask("user-1");
    expect((await scriptCalls()) - before).toBe(limiters.length);
    before = await scriptCalls();
    const decisions = await ask("user-1", "user-2", "user-3", "user-1");
    expect((await scriptCalls()) - before).toBe(4 * limiters.length);
    expect(decisions.slice(-limiters.length).map(({ remaining }) => remaining)).toEqual(Array(6).fill(5));
  });

  it("hold their order, each user's", async () => {
    const [bucket] = oneOfEach(newStore(), 5);
    const asked = Array.from({ length: 200 }, (_, i) => USERS[i % 20] ?? "");
    // until every node has the scripts
    await Promise.all(USERS.flatMap((user) => [bucket.peek(user), bucket.peek(user)]));
    const decisions = await Promise.all(asked.map((user) => bucket.consume(user)));
    for (const user of USERS.slice(0, 20)) {
      const own = decisions.filter(({ key }) => key === user);
      expect(own.map(({ allowed, remaining }) => allowed && remaining)).toEqual([
        ...[4, 3, 2, 1, 0],
        ...Array(5).fill(false),
      ]);
    }
  });
});

describe("while a slot is moved, calls of one turn of a user in it", () => {
  it.each([
    ["one by one", false],
    ["in batches", undefined],
  ] as const)(
    "are answered also where he is new, %s",
    async (_, batch) => {
      const store = newStore(batch);
      const common = { limit: 5, window: "30d", store, anchor: "first" } as const;
      const refill = { tokens: 1, every: "30d" } as const;
      const limiters = [
        fixedWindow({ name: "window", ...common }),
        tokenBucket({ name: "bucket", capacity: 5, refill, store }),
      ];
      const ask = (user: string) => Promise.all(limiters.map((limiter) => limiter.consume(user)));
      for (const user of USERS) await ask(user);

      const user = `newcomer-${String(batch)}`;
      const slot = cluster.slotOf(user);
      const from = await cluster.primaryOf(slot);
      const to = cluster.nodes.find(({ port }) => port !== from.port);
      if (to === undefined) throw new Error("a cluster has several nodes");
      await cluster.startMovingSlot(slot, to);
      try {
        const decisions = await ask(user);
        expect(decisions.map(({ remaining }) => remaining)).toEqual([4, 4]);
      } finally {
        await cluster.finishMovingSlot(slot);
      }
    },
    30_000,
  );
});
