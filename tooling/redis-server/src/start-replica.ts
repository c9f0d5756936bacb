import { launch } from "./launch.ts";
import type { RedisServer } from "./redis-server.ts";
import { linkIsUp } from "./replica-link.ts";
import { waitUntil } from "./wait-for.ts";

export interface StartReplicaOptions {
  /** Further arguments of the replica; they win over our own. */
  args?: readonly string[];
}

/**
 * Starts a replica of `primary`, whose password it shares, and waits until it has caught up. It refuses
 * writes.
 */
export async function startReplica(
  primary: RedisServer,
  { args = [] }: StartReplicaOptions = {},
): Promise<RedisServer> {
  const replica = await launch({ password: primary.password, args });
  try {
    await replica.command("REPLICAOF", primary.host, String(primary.port));
    await waitUntil("the replica has caught up", () => linkIsUp(replica));
    return replica;
  } catch (error) {
    await replica.stop();
    throw error;
  }
}
