import { formCluster } from "./form-cluster.ts";
import { freePortPair, LOOPBACK } from "./free-port.ts";
import { launch } from "./launch.ts";
import { type RedisCluster, redisCluster } from "./redis-cluster.ts";
import { withServers } from "./server-group.ts";

/** The port at which nodes talk to each other lies this far above the one for clients. */
const BUS_APART = 10_000;

export interface StartClusterOptions {
  /** How many nodes share the slots: 3. Fewer cannot agree that one of them is gone. */
  primaries?: number;
  /** How many replicas each of them has: none. */
  replicas?: number;
  /** How long a node may be silent until others think it gone, in milliseconds: 1,500. */
  nodeTimeoutMs?: number;
  /** Further arguments of every node; they win over our own. */
  args?: readonly string[];
}

/**
 * Starts a cluster on loopback and waits until its nodes agree, which takes the two seconds that a primary
 * waits before it takes part.
 *
 * @example
 * await using cluster = await startCluster({ replicas: 1 });
 * const primary = await cluster.primaryOf("some key");
 * await primary.kill();
 * const successor = await cluster.waitForFailover(cluster.slotOf("some key"));
 */
export async function startCluster(options: StartClusterOptions = {}): Promise<RedisCluster> {
  const { primaries = 3, replicas = 0, nodeTimeoutMs = 1_500, args = [] } = options;
  const findPort = () => freePortPair(BUS_APART);
  const startNode = () => launch({ findPort, args: [...nodeArgs(nodeTimeoutMs), ...args] });
  return withServers(async (group) => {
    const nodes = await group.startAll(primaries * (1 + replicas), startNode);
    await formCluster(nodes.slice(0, primaries), nodes.slice(primaries));
    return redisCluster(nodes, () => group.stop());
  });
}

function nodeArgs(nodeTimeoutMs: number): string[] {
  return [
    ...["--cluster-enabled", "yes", "--cluster-announce-ip", LOOPBACK],
    ...["--cluster-node-timeout", String(nodeTimeoutMs)],
  ];
}
