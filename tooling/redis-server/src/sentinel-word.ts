import type { RedisServer } from "./redis-server.ts";
import { type Reply, sendCommand } from "./resp.ts";

/** A sentinel that is paused accepts connections and says nothing. */
const SILENT_AFTER_MS = 500;

/** The port of the primary in the word of each sentinel that answers. */
export async function primaryPorts(sentinels: readonly RedisServer[], name: string): Promise<number[]> {
  const words = await Promise.all(sentinels.map((sentinel) => primaryPort(sentinel, name)));
  return words.filter((port) => port !== undefined);
}

async function primaryPort(sentinel: RedisServer, name: string): Promise<number | undefined> {
  try {
    const word = await sendCommand(sentinel, ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", name], SILENT_AFTER_MS);
    return Array.isArray(word) ? Number(word[1]) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether `sentinel` knows so many others. */
export async function knowsOthers(sentinel: RedisServer, name: string, others: number): Promise<boolean> {
  const primary = fields(await sentinel.command("SENTINEL", "MASTER", name));
  return primary.get("flags") === "master" && primary.get("num-other-sentinels") === String(others);
}

/** Whether `sentinel` has seen that `server` is a replica, and one that could take over. */
export async function knowsReplica(
  sentinel: RedisServer,
  name: string,
  server: RedisServer,
): Promise<boolean> {
  const replicas = await sentinel.command("SENTINEL", "REPLICAS", name);
  if (!Array.isArray(replicas)) return false;
  const replica = replicas.map(fields).find((known) => known.get("port") === String(server.port));
  return (
    replica?.get("flags") === "slave" &&
    replica.get("role-reported") === "slave" &&
    replica.get("master-link-status") === "ok"
  );
}

/** A reply of names, each followed by its value. */
function fields(reply: Reply): Map<string, string> {
  const items = Array.isArray(reply) ? reply.map(String) : [];
  const names = items.filter((_, i) => i % 2 === 0);
  return new Map(names.map((name, i) => [name, items[2 * i + 1] ?? ""]));
}
