import type { RedisSentinelGroup, RedisServer } from "@sluice/redis-server";
import { expect, vi } from "vitest";
import type { Stores } from "./candidate.ts";
import { passOn } from "./pass-on.ts";
import { proveUpheaval } from "./upheaval.ts";

const USERS = Array.from({ length: 12 }, (_, index) => `user:${index}`);

/** Registers what has to hold for stores on servers that sentinels watch, while those change their roles. */
export function proveOnSentinel(group: RedisSentinelGroup, stores: Stores): void {
  proveUpheaval({
    title: "a replica takes over while the primary lives",
    stores,
    users: USERS,
    failures: "some may",
    // until it is told to follow, the former primary grants on, though nobody will know of that
    happen: ({ mayForget }) =>
      mayForget(async () => {
        await passOn(await group.primary(), await replicaOf(group));
        await group.handOver();
      }),
  });

  proveUpheaval({
    title: "the primary is killed",
    stores,
    users: USERS,
    failures: "some do",
    async happen({ mayForget }) {
      const primary = await group.primary();
      await mayForget(async () => {
        await passOn(primary, await replicaOf(group));
        await primary.kill();
      });
      const succeeded = async () => expect((await group.primary()).port).not.toBe(primary.port);
      await vi.waitFor(succeeded, { timeout: 15_000 });
    },
  });
}

/** The one server that is no primary. */
async function replicaOf(group: RedisSentinelGroup): Promise<RedisServer> {
  const primary = await group.primary();
  const replica = group.servers.find((server) => server !== primary);
  if (replica === undefined) throw new Error("the group has no replica");
  return replica;
}
