import { agreedOwnerOf, askViews, type ClusterView, ownerOf } from "./cluster-view.ts";
import { keySlot } from "./key-slot.ts";
import { assignSlot, moveKeys, openSlot } from "./moving-slots.ts";
import type { RedisServer } from "./redis-server.ts";
import { waitFor, waitUntil } from "./wait-for.ts";

/** A running cluster that is nobody else's. */
export interface RedisCluster extends AsyncDisposable {
  /** The primaries, in the order of the slots that they had at first, and then the replicas in the same order. */
  readonly nodes: readonly RedisServer[];
  /** The slot of a key, or of its hash tag. */
  slotOf(key: string): number;
  /** The node that has a key, or a slot, now. One that has just died has it until another takes over. */
  primaryOf(keyOrSlot: string | number): Promise<RedisServer>;
  /** The nodes that follow `primary` and answer. */
  replicasOf(primary: RedisServer): Promise<RedisServer[]>;
  /** Opens a slot for a move: from now on its node answers ASK for a key that it lacks. No key moves yet. */
  startMovingSlot(slot: number, to: RedisServer): Promise<void>;
  /** Moves the keys of a slot whose move was started, and then the slot; every node agrees when it returns. */
  finishMovingSlot(slot: number): Promise<void>;
  /**
   * Waits until a node that answers serves the slot, and all that answer agree: all but those to which a slot
   * is being moved, which serve nobody while its former node is dead. Returns that node.
   */
  waitForFailover(slot: number): Promise<RedisServer>;
  /** Ends every node and removes their folders. Calling it again does nothing. */
  stop(): Promise<void>;
}

/** What callers get of nodes that form a cluster. */
export function redisCluster(nodes: readonly RedisServer[], stop: () => Promise<void>): RedisCluster {
  const moves = new Map<number, RedisServer>();
  const nodeAt = (port: number | undefined) => nodes.find((node) => node.port === port);

  /** The nodes that answer, and of which `holds` by their own view. */
  const nodesWhere = async (holds: (view: ClusterView) => boolean): Promise<RedisServer[]> => {
    const ports = (await askViews(nodes)).filter(holds).map(({ myself }) => myself.port);
    return nodes.filter(({ port }) => ports.includes(port));
  };
  const primaryOf = async (keyOrSlot: string | number): Promise<RedisServer> => {
    const slot = typeof keyOrSlot === "number" ? keyOrSlot : keySlot(keyOrSlot);
    const owner = nodeAt(ownerOf(await askViews(nodes), slot));
    if (owner === undefined) throw new Error(`no node of this cluster has slot ${slot}`);
    return owner;
  };

  return {
    nodes,
    slotOf: keySlot,
    primaryOf,
    replicasOf: (primary) =>
      nodesWhere(({ nodes, myself }) => {
        return nodes.some(({ id, port }) => port === primary.port && id === myself.primaryId);
      }),
    async startMovingSlot(slot, to) {
      await openSlot(slot, await primaryOf(slot), to);
      moves.set(slot, to);
    },
    async finishMovingSlot(slot) {
      const to = moves.get(slot);
      if (to === undefined) throw new Error(`slot ${slot} is not being moved: call startMovingSlot first`);
      const from = await primaryOf(slot);
      // A replica that took over in the meantime knows nothing of the move, nor does `to` know of it.
      await openSlot(slot, from, to);
      await waitUntil("the node that gets the slot serves", async () => {
        return (await askViews([to])).some(({ isOk }) => isOk);
      });
      await moveKeys(slot, from, to);
      await assignSlot(slot, to, await nodesWhere(({ myself }) => myself.primaryId === undefined));
      moves.delete(slot);
      await waitUntil(`every node knows who has slot ${slot} now`, async () => {
        return agreedOwnerOf(await askViews(nodes), slot) === to.port;
      });
    },
    waitForFailover(slot) {
      // One that imports a slot holds its former node for the owner, and mourns it, until the move is finished.
      const importing = [...moves.values()];
      const others = nodes.filter((node) => !importing.includes(node));
      return waitFor(`a node that answers serves slot ${slot}`, async () => {
        return nodeAt(agreedOwnerOf(await askViews(others), slot));
      });
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
