import type { RedisCluster } from "@sluice/redis-server";
import { tokenBucket } from "@sluice/token-bucket";
import { describe, expect, it } from "vitest";
import type { Stores } from "./candidate.ts";
import { flushScripts, otherPrimary, usersOfOneSlot } from "./cluster-ground.ts";
import { LONG_MS } from "./usage.ts";

const LIMIT = 40;
const CALLS = 10;
const TIMEOUT_MS = 8_000;

/** Registers what callers of users whose slot is halfway to another node are told, step by step. */
export function proveMovingSlot(cluster: RedisCluster, stores: Stores): void {
  describe("a slot that is halfway to another node", () => {
    for (const [index, [name, open]] of Object.entries(stores).entries()) {
      it(`is asked for there, where scripts are missing too, by ${name}`, async () => {
        const prefix = `halfway-${index}`;
        const store = open({ prefix, timeoutMs: TIMEOUT_MS });
        const refill = { tokens: 1, every: LONG_MS };
        const limiter = tokenBucket({ name: "halfway", capacity: LIMIT, refill, store });
        const remainingOf = async (user: string): Promise<number[]> => {
          await flushScripts(cluster);
          const calls = Array.from({ length: CALLS }, () => limiter.consume(user));
          return (await Promise.all(calls)).map(({ remaining }) => remaining).sort((a, b) => b - a);
        };
        const [known = "", stranger = ""] = usersOfOneSlot(cluster, 2, name);
        const slot = cluster.slotOf(known);
        const [from, to] = [await cluster.primaryOf(slot), await otherPrimary(cluster, slot)];
        const keysAt = async (node: typeof from): Promise<unknown> =>
          node.command("CLUSTER", "GETKEYSINSLOT", String(slot), "10");
        const keyOf = (user: string): string => `${prefix}:halfway:bucket.1:{${user}}`;

        expect(await remainingOf(known)).toEqual(countdownFrom(LIMIT));
        await cluster.startMovingSlot(slot, to);
        // a key that is there is served there, and a new one by the node that will have the slot
        expect(await remainingOf(known)).toEqual(countdownFrom(LIMIT - CALLS));
        expect(await remainingOf(stranger)).toEqual(countdownFrom(LIMIT));
        expect(await keysAt(from)).toEqual([keyOf(known)]);
        expect(await keysAt(to)).toEqual([keyOf(stranger)]);
        await limiter.reset(stranger);
        expect(await keysAt(to)).toEqual([]);
        await limiter.refund(await limiter.consume(stranger));
        expect(await remainingOf(stranger)).toEqual(countdownFrom(LIMIT));
        await cluster.finishMovingSlot(slot);
        expect(await remainingOf(known)).toEqual(countdownFrom(LIMIT - 2 * CALLS));
        expect(await remainingOf(stranger)).toEqual(countdownFrom(LIMIT - CALLS));
        expect(await keysAt(from)).toEqual([]);
      });
    }
  });
}

/** What remains after each of some calls. */
function countdownFrom(left: number): number[] {
  return Array.from({ length: CALLS }, (_, call) => left - 1 - call);
}
