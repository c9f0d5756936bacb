import type { RedisCluster, RedisServer } from "@sluice/redis-server";
import { expect, vi } from "vitest";

/** So many users whose keys lie in one slot. */
export function usersOfOneSlot(cluster: RedisCluster, count: number, group = "neighbour"): string[] {
  const slot = cluster.slotOf(`${group}:0`);
  const users: string[] = [];
  for (let index = 0; users.length < count; index += 1) {
    const user = `${group}:${index}`;
    if (cluster.slotOf(user) === slot) users.push(user);
  }
  return users;
}

/**
 * Waits until every node of a new cluster names all of them to clients. A replica is left out until it has received
 * something; and a client that is told of fewer nodes than before drops connections, which callers notice.
 */
export async function allAreNamed({ nodes }: RedisCluster): Promise<void> {
  for (const node of nodes) if (await isPrimary(node)) await node.command("FLUSHALL");
  const unnamedBy = async (node: RedisServer): Promise<number[]> => {
    const named = JSON.stringify(await node.command("CLUSTER", "SLOTS"));
    return nodes.filter(({ host, port }) => !named.includes(`"${host}",${port}`)).map(({ port }) => port);
  };
  const namedByAll = async () => expect((await Promise.all(nodes.map(unnamedBy))).flat()).toEqual([]);
  await vi.waitFor(namedByAll, { timeout: 15_000 });
}

/** A primary that does not have the slot. */
export async function otherPrimary(cluster: RedisCluster, slot: number): Promise<RedisServer> {
  const owner = await cluster.primaryOf(slot);
  for (const node of cluster.nodes) {
    if (node !== owner && !node.ended() && (await isPrimary(node))) return node;
  }
  throw new Error("the cluster has no other primary");
}

/** Makes every node that lives forget its scripts. */
export async function flushScripts({ nodes }: RedisCluster): Promise<void> {
  const living = nodes.filter((node) => !node.ended());
  await Promise.all(living.map((node) => node.command("SCRIPT", "FLUSH")));
}

async function isPrimary(node: RedisServer): Promise<boolean> {
  const role = await node.command("ROLE");
  return Array.isArray(role) && role[0] === "master";
}
