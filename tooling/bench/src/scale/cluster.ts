import { once } from "node:events";
import { ioredisStore } from "@sluice/ioredis";
import { type RedisCluster, startCluster } from "@sluice/redis-server";
import { Cluster } from "ioredis";
import { type Call, inTurn } from "../case.ts";
import { quantile, timeCalls } from "../load.ts";
import { median } from "../median.ts";
import { inRounds } from "../rounds.ts";
import { ampleBucket, TIMEOUT_MS, useHalf } from "./bucket.ts";
import { type NodeStats, readNodeStats } from "./node-stats.ts";

export interface ClusterOptions {
  rounds: number;
  calls: number;
  progress?(message: string): void;
}

/** Decisions for keys all over a cluster of three primaries, one caller. */
export interface ClusterScale {
  primaries: number;
  /** Of all decisions, how many each primary made. */
  decisionsByPrimary: number[];
  /** How many commands a decision took, and how many of them were sent to another node than the right one. */
  commandsPerDecision: number;
  redirections: number;
  p50Ms: number;
  p99Ms: number;
  /** The median of each round's ratio to a bare EVALSHA for the same keys. */
  p50OfBare: number;
  p99OfBare: number;
}

interface Sample {
  p50Ms: number;
  p99Ms: number;
}

const KEYS = Array.from({ length: 999 }, (_, index) => `user:${String(index).padStart(3, "0")}`);

export async function measureCluster({ rounds, calls, progress }: ClusterOptions): Promise<ClusterScale> {
  progress?.(`scale: a cluster of three primaries, ${rounds} rounds`);
  await using servers = await startCluster({ primaries: 3 });
  const client = new Cluster(servers.nodes.map(({ host, port }) => ({ host, port })));
  try {
    if (client.status !== "ready") await once(client, "ready");
    const contestants = { bare: await bareCall(client), ours: await ourCall(client) };
    const sample = async (call: Call): Promise<Sample> => {
      const tookMs = await timeCalls(call, calls, 1);
      return { p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99) };
    };
    // each key once, so that the client knows every slot and every node its script
    for (const call of Object.values(contestants)) await timeCalls(call, KEYS.length, 1);
    const work = await workOf(servers, () => timeCalls(contestants.ours, KEYS.length, 1));
    const all = await inRounds(Object.values(contestants), rounds, sample);
    const [bare = [], ours = []] = [all.get(contestants.bare), all.get(contestants.ours)];
    const ratio = (figure: (sample: Sample) => number): number =>
      median(ours.map((one, round) => figure(one) / figure(bare[round] ?? one)));
    const scripts = work.map((node) => node.scripts);
    return {
      primaries: servers.nodes.length,
      decisionsByPrimary: scripts,
      commandsPerDecision: sum(scripts) / KEYS.length,
      redirections: sum(work.map((node) => node.redirections)),
      p50Ms: median(ours.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(ours.map(({ p99Ms }) => p99Ms)),
      p50OfBare: ratio(({ p50Ms }) => p50Ms),
      p99OfBare: ratio(({ p99Ms }) => p99Ms),
    };
  } finally {
    client.disconnect();
  }
}

async function ourCall(client: Cluster): Promise<Call> {
  const limiter = ampleBucket(ioredisStore(client, { timeoutMs: TIMEOUT_MS }));
  await Promise.all(KEYS.map((key) => useHalf(limiter, key)));
  const nextKey = inTurn(KEYS);
  return () => limiter.consume(nextKey());
}

/** A script that does nothing, at the node that has the key. */
async function bareCall(client: Cluster): Promise<Call> {
  const shas = await Promise.all(client.nodes("master").map((node) => node.script("LOAD", "return 1")));
  const sha = String(shas[0]);
  const nextKey = inTurn(KEYS);
  return () => client.evalsha(sha, 1, nextKey());
}

/** What each node did while some work was done. */
async function workOf({ nodes }: RedisCluster, work: () => Promise<unknown>): Promise<NodeStats[]> {
  const before = await Promise.all(nodes.map(readNodeStats));
  await work();
  const after = await Promise.all(nodes.map(readNodeStats));
  return after.map(({ scripts, redirections }, index) => ({
    scripts: scripts - (before[index]?.scripts ?? 0),
    redirections: redirections - (before[index]?.redirections ?? 0),
  }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
