import type { RedisServer } from "./redis-server.ts";

const KEYS_AT_ONCE = 100;
const MIGRATE_TIMEOUT_MS = 5_000;

/** Opens both ends: `from` sends clients that ask for a key that it lacks on to `to`. No key moves yet. */
export async function openSlot(slot: number, from: RedisServer, to: RedisServer): Promise<void> {
  const [fromId, toId] = await Promise.all([idOf(from), idOf(to)]);
  // One that imports a slot already does not notice when a replica takes over its former node.
  await setSlot(to, slot, "NODE", fromId);
  await setSlot(to, slot, "IMPORTING", fromId);
  await setSlot(from, slot, "MIGRATING", toId);
}

/** Moves what is left of the slot's keys. */
export async function moveKeys(slot: number, from: RedisServer, to: RedisServer): Promise<void> {
  for (;;) {
    const keys = await from.command("CLUSTER", "GETKEYSINSLOT", String(slot), String(KEYS_AT_ONCE));
    if (!Array.isArray(keys) || keys.length === 0) return;
    const target = [to.host, String(to.port), "", "0", String(MIGRATE_TIMEOUT_MS)];
    await from.command("MIGRATE", ...target, "KEYS", ...keys.map(String));
  }
}

/** Tells the primaries who has the slot from now on: first the one that gets it. */
export async function assignSlot(
  slot: number,
  to: RedisServer,
  primaries: readonly RedisServer[],
): Promise<void> {
  const id = await idOf(to);
  const others = primaries.filter((server) => server !== to);
  for (const server of [to, ...others]) await setSlot(server, slot, "NODE", id);
}

async function idOf(server: RedisServer): Promise<string> {
  return String(await server.command("CLUSTER", "MYID"));
}

async function setSlot(server: RedisServer, slot: number, state: string, nodeId: string): Promise<void> {
  await server.command("CLUSTER", "SETSLOT", String(slot), state, nodeId);
}
