import type { RedisServer } from "./redis-server.ts";

/** Whether a replica has all that its primary had, and gets what follows. */
export async function linkIsUp(replica: RedisServer): Promise<boolean> {
  return /^master_link_status:up\r?$/m.test(String(await replica.command("INFO", "replication")));
}
