import { compose, type Limiter, type Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { ioredisStore } from "@sluice/ioredis";
import { leakyBucket } from "@sluice/leaky-bucket";
import { type RedisCluster, startCluster } from "@sluice/redis-server";
import { slidingWindowCounter, slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";
import { Cluster } from "ioredis";
import { afterAll, describe, expect, it, vi } from "vitest";
import { oneOfEach } from "../src/one-of-each.ts";

/** A node that is held up for a while must not be given up by the others. */
const NODE_TIMEOUT_MS = 60_000;
const cluster = await startCluster({ nodeTimeoutMs: NODE_TIMEOUT_MS });
const client = new Cluster(cluster.nodes.map(({ host, port }) => ({ host, port })));
// it says of nodes that are held up what nobody need know here
client.on("error", () => {});
afterAll(async () => {
  client.disconnect();
  await cluster.stop();
});

let prefixes = 0;

function newStore(timeoutMs = 10_000): { store: Store; prefix: string } {
  const prefix = `cluster-${prefixes++}`;
  return { prefix, store: ioredisStore(client, { prefix, timeoutMs }) };
}

/** Keys of which each lies on another node. */
const [USER, TEAM, ALL] = await keysApart(cluster);
const KEYS = { user: USER, log: USER, team: TEAM, counter: TEAM, all: ALL };

async function keysApart({ nodes, primaryOf }: RedisCluster): Promise<[string, string, string]> {
  const found = new Map<number, string>();
  for (let i = 0; found.size < nodes.length; i++) {
    const { port } = await primaryOf(`{key-${i}}`);
    if (!found.has(port)) found.set(port, `key-${i}`);
  }
  const [first = "", second = "", third = ""] = found.values();
  return [first, second, third];
}

/** Two limits of a user, two of a team and one for all, the tightest first. */
function limitsIn(store: Store) {
  const rate = { tokens: 1, every: "30d" } as const;
  return {
    user: tokenBucket({ name: "user", capacity: 5, refill: rate, store }),
    log: slidingWindowLog({ name: "log", limit: 9, window: "30d", store }),
    team: fixedWindow({ name: "team", limit: 20, window: "30d", anchor: "first", store }),
    counter: slidingWindowCounter({ name: "counter", limit: 30, window: "365d", store }),
    all: leakyBucket({ name: "all", capacity: 99, leak: rate, store }),
  };
}

type Names = keyof ReturnType<typeof limitsIn>;
const NAMES: readonly Names[] = ["user", "log", "team", "counter", "all"];

function setUp(timeoutMs?: number) {
  const { store } = newStore(timeoutMs);
  const own = limitsIn(store);
  return { own, limits: compose([own.all, own.counter, own.team, own.log, own.user]) };
}

async function left(own: Readonly<Record<Names, Limiter>>): Promise<number[]> {
  const looks = await Promise.all(NAMES.map((name) => own[name].peek(KEYS[name])));
  return looks.map(({ remaining }) => remaining);
}

/** How many commands of scripts each node has run so far. */
async function scriptCalls(): Promise<number> {
  const counts = cluster.nodes.map(async (node) => {
    const calls = String(await node.command("INFO", "commandstats")).match(/cmdstat_eval(?:sha)?:calls=\d+/g);
    return (calls ?? []).reduce((sum, line) => sum + Number(line.split("=")[1]), 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count);
}

/** Holds a node up while something is done: it takes no part, and forgets nothing. */
async function whileHeldUp<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
  const { pid } = await cluster.primaryOf(`{${key}}`);
  process.kill(pid, "SIGSTOP");
  try {
    return await work();
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

describe("in a cluster, limits of one key", () => {
  it("decide in one call of one script, of whatever algorithms", async () => {
    const { store } = newStore();
    const limits = compose(oneOfEach(store, 5));
    await limits.peek(USER);
    const before = await scriptCalls();
    expect(await limits.consume(USER, { cost: 2 })).toMatchObject({ allowed: true, remaining: 3 });
    expect((await scriptCalls()) - before).toBe(1);
  });

  it("are granted together what the tightest allows", async () => {
    const { store } = newStore();
    const limits = compose([
      ...oneOfEach(store, 50),
      fixedWindow({ name: "tight", limit: 23, window: "30d", anchor: "first", store }),
    ]);
    const decisions = await Promise.all(Array.from({ length: 100 }, () => limits.consume(TEAM)));
    const granted = decisions.filter(({ allowed }) => allowed);
    expect(granted).toHaveLength(23);
    expect(new Set(granted.map(({ remaining }) => remaining)).size).toBe(23);
  });

  it('decide also where several keys would be an error: `crossSlot: "error"`', async () => {
    const { store } = newStore();
    const limits = compose(oneOfEach(store, 5), { crossSlot: "error" });
    expect(await limits.consume(["user", "42"])).toMatchObject({ allowed: true, key: "user|42" });
  });
});

describe("in a cluster, limits whose keys lie on several nodes", () => {
  it("are all charged where all allow", async () => {
    const { own, limits } = setUp();
    const decision = await limits.consume(KEYS, { cost: 2 });
    expect(decision).toMatchObject({ allowed: true, name: "user", remaining: 3, taken: 2 });
    expect(await left(own)).toEqual([3, 7, 18, 28, 98]);
    await limits.refund(decision);
    expect(await left(own)).toEqual([5, 9, 20, 30, 100]);
  });

  it.each(NAMES)(
    "have back all that they gave when %s denies, and tell what each would answer",
    async (name) => {
      const { own, limits } = setUp();
      await own[name].consume(KEYS[name], { cost: own[name].policy.limit - 1 });
      const before = await left(own);
      const decision = await limits.consume(KEYS, { cost: 2 });
      expect(decision).toMatchObject({ allowed: false, name, taken: 0, receipt: "" });
      expect(await left(own)).toEqual(before);
      for (const other of NAMES) {
        const { remaining, allowed } = await own[other].peek(KEYS[other], { cost: 2 });
        expect(decision.limits[other]).toMatchObject({ remaining, allowed, taken: 0 });
      }
    },
  );

  it.each(NAMES)("are not changed by a peek that %s denies", async (name) => {
    const { own, limits } = setUp();
    await limits.consume(KEYS, { cost: 2 });
    await own[name].consume(KEYS[name], { cost: own[name].policy.limit - 2 });
    const before = await left(own);
    expect(await limits.peek(KEYS)).toMatchObject({ allowed: false, name, taken: 0 });
    expect(await left(own)).toEqual(before);
  });

  it.each([
    ["the first", USER, TEAM, ALL],
    ["the second", TEAM, USER, ALL],
    ["the last", ALL, USER, TEAM],
  ] as const)(
    "have back all that they gave when %s of their nodes does not answer",
    async (_, gone, ...answering) => {
      const { own, limits } = setUp(1_000);
      await limits.consume(KEYS);
      const before = await left(own);
      await whileHeldUp(gone, async () => {
        await expect(limits.consume(KEYS)).rejects.toMatchObject({
          code: "ERR_SLUICE_STORE_TIMEOUT",
          mayHaveCounted: true,
        });
      });
      // the caller was told in time, and need not wait for that
      await vi.waitFor(async () => {
        const after = await left(own);
        for (const [i, name] of NAMES.entries()) {
          if (answering.some((key) => key === KEYS[name])) expect(after[i]).toBe(before[i]);
        }
      });
    },
  );

  it("never grant more than any of them allows, and keep the account, under calls at once", async () => {
    const { store } = newStore();
    const all = fixedWindow({ name: "all", limit: 25, window: "30d", anchor: "first", store });
    const user = tokenBucket({ name: "user", capacity: 4, refill: { tokens: 1, every: "30d" }, store });
    const limits = compose([all, user]);
    const users = Array.from({ length: 10 }, (_, i) => `user-${i}`);
    const calls = Array.from({ length: 300 }, (_, i) =>
      limits.consume({ user: users[i % users.length] ?? "", all: "all" }),
    );
    const granted = (await Promise.all(calls)).filter(({ allowed }) => allowed);
    expect(granted.length).toBeLessThanOrEqual(25);
    expect((await all.peek("all")).remaining).toBe(25 - granted.length);
    for (const key of users) {
      const own = granted.filter(({ limits: told }) => told.user.key === key).length;
      expect((await user.peek(key)).remaining).toBe(4 - own);
    }
  });

  it("are as they were after calls at once that one of them denies, also a queue that would have allowed them", async () => {
    const { store } = newStore();
    const rate = { tokens: 1, every: "30d" } as const;
    const queue = leakyBucket({ name: "queue", capacity: 4, leak: rate, store });
    const user = tokenBucket({ name: "user", capacity: 20, refill: rate, store });
    await user.consume(USER, { cost: 20 });
    const limits = compose([queue, user]);
    const calls = Array.from({ length: 10 }, () => limits.consume({ queue: ALL, user: USER }));
    for (const { allowed } of await Promise.all(calls)) expect(allowed).toBe(false);
    expect((await queue.peek(ALL)).remaining).toBe(5);
  });

  it("grant to callers in turn exactly what they allow", async () => {
    const { own, limits } = setUp();
    const decisions: boolean[] = [];
    for (let i = 0; i < 7; i++) decisions.push((await limits.consume(KEYS)).allowed);
    expect(decisions).toEqual([true, true, true, true, true, false, false]);
    expect(await left(own)).toEqual([0, 4, 15, 25, 95]);
  });

  it('are not touched where that is an error: `crossSlot: "error"`', async () => {
    await Promise.all(cluster.nodes.map((node) => node.command("FLUSHALL")));
    const { store } = newStore();
    const limits = compose(Object.values(limitsIn(store)), { crossSlot: "error" });
    const error = { code: "ERR_SLUICE_CROSS_SLOT" };
    await expect(limits.consume(KEYS)).rejects.toMatchObject(error);
    await expect(limits.peek(KEYS)).rejects.toMatchObject(error);
    const sizes = await Promise.all(cluster.nodes.map((node) => node.command("DBSIZE")));
    expect(sizes).toEqual([0, 0, 0]);
  });
});
