import { type RedisServer, startRedis } from "@sluice/redis-server";
import { expect, vi } from "vitest";

const SLOTS = 16_384;
const ATTEMPTS = 5;
const ARGS = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"];

/** Two nodes, of which each has half of the slots. */
export interface TestCluster {
  readonly nodes: readonly [RedisServer, RedisServer];
  /** The node that has a key. */
  nodeOf(key: string): Promise<RedisServer>;
}

/** Starts a cluster and waits until its nodes agree. */
export async function startCluster(): Promise<TestCluster> {
  const nodes = [await startNode(), await startNode()] as const;
  const [one, other] = nodes;
  await one.command("CLUSTER", "ADDSLOTS", ...slots(0, SLOTS / 2));
  await other.command("CLUSTER", "ADDSLOTS", ...slots(SLOTS / 2, SLOTS));
  await one.command("CLUSTER", "MEET", other.host, String(other.port));
  for (const node of nodes) {
    const settled = async () => expect(await node.command("CLUSTER", "INFO")).toMatch("cluster_state:ok");
    await vi.waitFor(settled, { timeout: 10_000 });
  }
  return {
    nodes,
    async nodeOf(key) {
      return Number(await one.command("CLUSTER", "KEYSLOT", key)) < SLOTS / 2 ? one : other;
    },
  };
}

async function startNode(attempt = 1): Promise<RedisServer> {
  // a node's second port lies 10,000 above its first, and must be one too
  const port = 20_000 + Math.floor(Math.random() * 30_000);
  try {
    return await startRedis({ port, args: ARGS });
  } catch (error) {
    if (attempt === ATTEMPTS) throw error;
    return startNode(attempt + 1);
  }
}

function slots(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, i) => String(from + i));
}
