import { setTimeout as sleep } from "node:timers/promises";
import type { RedisCluster, RedisServer } from "@sluice/redis-server";
import { expect, vi } from "vitest";
import type { Stores } from "./candidate.ts";
import { flushScripts, otherPrimary, usersOfOneSlot } from "./cluster-ground.ts";
import type { Witness } from "./live-through.ts";
import { passOn } from "./pass-on.ts";
import { proveUpheaval, type Upheaval } from "./upheaval.ts";

const FLUSHES = 3;
const FLUSH_EVERY_MS = 100;

/**
 * Registers what has to hold for stores on a cluster, of which each primary has a replica, while that changes.
 *
 * @param stranded clients that do not find the successor of a primary that stays dead, and why
 */
export function proveOnCluster(
  cluster: RedisCluster,
  stores: Stores,
  stranded: Upheaval["stranded"] = {},
): void {
  const users = [
    ...usersOfOneSlot(cluster, 4),
    ...Array.from({ length: 8 }, (_, index) => `elsewhere:${index}`),
  ];
  const slot = cluster.slotOf(users[0] ?? "");

  proveUpheaval({
    title: "a slot is moved, and scripts vanish",
    stores,
    users,
    failures: "none",
    async happen() {
      await cluster.startMovingSlot(slot, await otherPrimary(cluster, slot));
      for (let time = 0; time < FLUSHES; time += 1) {
        await flushScripts(cluster);
        await sleep(FLUSH_EVERY_MS);
      }
      await cluster.finishMovingSlot(slot);
    },
  });

  proveUpheaval({
    title: "a primary hangs until its replica has taken over, and then goes on",
    stores,
    users,
    failures: "some do",
    async happen(witness) {
      const primary = await cluster.primaryOf(slot);
      await dropOut(cluster, primary, users, witness, async () => {
        process.kill(primary.pid, "SIGSTOP");
        try {
          await cluster.waitForFailover(slot);
        } finally {
          process.kill(primary.pid, "SIGCONT");
        }
        // until it knows, it may grant what had reached it
        const follows = async () => expect(await primary.command("ROLE")).toContain("slave");
        await vi.waitFor(follows, { timeout: 10_000 });
      });
    },
  });

  proveUpheaval({
    title: "a primary is killed",
    stores,
    users,
    stranded,
    failures: "some do",
    async happen(witness) {
      const primary = await cluster.primaryOf(slot);
      await dropOut(cluster, primary, users, witness, () => primary.kill());
      await cluster.waitForFailover(slot);
    },
  });
}

/** Has a primary drop out, which may take grants to its own users with it. */
async function dropOut(
  cluster: RedisCluster,
  primary: RedisServer,
  users: readonly string[],
  { mayForget }: Witness,
  how: () => Promise<void>,
): Promise<void> {
  const [replica] = await cluster.replicasOf(primary);
  if (replica === undefined) throw new Error("the primary has no replica");
  const owners = await Promise.all(users.map((user) => cluster.primaryOf(user)));
  await mayForget(
    async () => {
      await passOn(primary, replica);
      await how();
    },
    (user) => owners[users.indexOf(user)] === primary,
  );
}
