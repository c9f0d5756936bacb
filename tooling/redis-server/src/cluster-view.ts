import type { RedisServer } from "./redis-server.ts";
import { sendCommand } from "./resp.ts";

/** A node that is paused accepts connections and says nothing. */
const SILENT_AFTER_MS = 500;

/** What one node believes of another, or of itself. */
export interface NodeView {
  id: string;
  port: number;
  isMyself: boolean;
  /** Its role is known, and nobody suspects it. */
  isWell: boolean;
  /** The id of the primary that it follows; nothing for a primary. */
  primaryId: string | undefined;
  /** The claim of a higher epoch wins a slot. */
  configEpoch: number;
  slots: readonly (readonly [first: number, last: number])[];
}

/** What one node believes of the cluster. */
export interface ClusterView {
  isOk: boolean;
  nodes: readonly NodeView[];
  myself: NodeView;
}

/** The views of those of `servers` that answer. */
export async function askViews(servers: readonly RedisServer[]): Promise<ClusterView[]> {
  const views = await Promise.all(servers.filter((server) => !server.ended()).map(askView));
  return views.filter((view) => view !== undefined);
}

async function askView(server: RedisServer): Promise<ClusterView | undefined> {
  try {
    const [info, nodes] = await Promise.all([
      sendCommand(server, ["CLUSTER", "INFO"], SILENT_AFTER_MS),
      sendCommand(server, ["CLUSTER", "NODES"], SILENT_AFTER_MS),
    ]);
    return parseView(String(info), String(nodes));
  } catch {
    return undefined;
  }
}

function parseView(info: string, nodes: string): ClusterView {
  const parsed = nodes.trim().split("\n").map(parseNode);
  const myself = parsed.find((node) => node.isMyself);
  if (myself === undefined) throw new Error(`a node that does not know itself:\n${nodes}`);
  return { isOk: info.includes("cluster_state:ok"), nodes: parsed, myself };
}

/** `<id> <host>:<port>@<bus> <flags> <primary> <ping> <pong> <epoch> <link> <slot or range>...` */
function parseNode(line: string): NodeView {
  const [id = "", address = "", flagList = "", primary, , , epoch, , ...slots] = line.split(" ");
  const flags = flagList.split(",");
  return {
    id,
    port: Number(/:(\d+)@/.exec(address)?.[1]),
    isMyself: flags.includes("myself"),
    isWell: !flags.some((flag) => ["fail?", "fail", "handshake", "noaddr"].includes(flag)),
    primaryId: primary === "-" ? undefined : primary,
    configEpoch: Number(epoch),
    // A slot that is being moved stands there once more, in brackets.
    slots: slots.filter((range) => !range.startsWith("[")).map(parseRange),
  };
}

function parseRange(range: string): [number, number] {
  const [first, last = first] = range.split("-").map(Number);
  return [Number(first), Number(last)];
}

/** The port of the node that serves `slot` by the latest of the claims that `views` know. */
export function ownerOf(views: readonly ClusterView[], slot: number): number | undefined {
  const claims = views
    .flatMap((view) => view.nodes)
    .filter((node) => node.slots.some(([first, last]) => first <= slot && slot <= last));
  const latest = claims.reduce<NodeView | undefined>(
    (best, claim) => (best === undefined || claim.configEpoch > best.configEpoch ? claim : best),
    undefined,
  );
  return latest?.port;
}

/** The port of the node that serves `slot`, once all of `views` say so and it is among them. */
export function agreedOwnerOf(views: readonly ClusterView[], slot: number): number | undefined {
  const owner = ownerOf(views, slot);
  const agree = views.every((view) => view.isOk && ownerOf([view], slot) === owner);
  return agree && views.some((view) => view.myself.port === owner) ? owner : undefined;
}
