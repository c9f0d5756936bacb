import { askViews } from "./cluster-view.ts";
import { SLOTS } from "./key-slot.ts";
import type { RedisServer } from "./redis-server.ts";
import { linkIsUp } from "./replica-link.ts";
import { every, waitUntil } from "./wait-for.ts";

type Nodes = readonly RedisServer[];

/**
 * Makes one cluster of nodes that know nothing yet; the replicas are dealt out to the primaries in turn.
 * Returns once every one of them agrees.
 */
export async function formCluster(primaries: Nodes, replicas: Nodes): Promise<void> {
  const nodes = [...primaries, ...replicas];
  // Epochs of their own from the start: nodes that share one have to settle that first.
  await Promise.all(nodes.map((node, i) => node.command("CLUSTER", "SET-CONFIG-EPOCH", String(i + 1))));
  await Promise.all(
    primaries.map((node, i) => node.command("CLUSTER", "ADDSLOTS", ...shareOfSlots(i, primaries.length))),
  );
  await introduce(nodes);
  await Promise.all(replicas.map((replica, i) => follow(replica, primaries[i % primaries.length])));
  await waitUntil("the nodes agree on a cluster", () => agree(nodes, replicas.length));
  await waitUntil("the replicas have caught up", () => every(replicas, linkIsUp));
}

/** An equal share of the slots, one by one: a command for ranges came with 7.0. */
function shareOfSlots(index: number, shares: number): string[] {
  const first = Math.ceil((SLOTS * index) / shares);
  const end = Math.ceil((SLOTS * (index + 1)) / shares);
  return Array.from({ length: end - first }, (_, i) => String(first + i));
}

/** Everybody to everybody, which is quicker than to wait for the gossip. */
async function introduce(nodes: Nodes): Promise<void> {
  for (const [i, node] of nodes.entries()) {
    for (const { host, port } of nodes.slice(0, i)) {
      await node.command("CLUSTER", "MEET", host, String(port));
    }
  }
}

async function follow(replica: RedisServer, primary: RedisServer | undefined): Promise<void> {
  const id = String(await primary?.command("CLUSTER", "MYID"));
  await waitUntil("a replica knows its primary", async () => {
    return (await replica.command("CLUSTER", "REPLICATE", id)) === "OK";
  });
}

async function agree(nodes: Nodes, replicaCount: number): Promise<boolean> {
  const views = await askViews(nodes);
  return (
    views.length === nodes.length &&
    views.every(
      (view) =>
        view.isOk &&
        view.nodes.length === nodes.length &&
        view.nodes.every((node) => node.isWell) &&
        view.nodes.filter((node) => node.primaryId !== undefined).length === replicaCount,
    )
  );
}
