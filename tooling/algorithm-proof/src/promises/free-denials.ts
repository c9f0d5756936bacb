import type { Limiter } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { check } from "../check.ts";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores, redisGround } from "../rig.ts";
import { KEY, settingOf, told } from "../setting.ts";
import type { Subject } from "../subject.ts";
import { operationsOf, steadyTraffic } from "../traffic.ts";

const RUNS = 300;
/** `PTTL` counts whole milliseconds, and each reply takes one on its way. */
const CLOCK_SLACK_MS = 3;

/** A denied call takes nothing and never changes what will be admitted. */
export function proveFreeDenials<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("promise 2: denials are free", () => {
    onBothStores(server, (ground) => {
      it("admits the same whether or not there were denials, looks and calls of cost 0 in between", async () => {
        const property = fc.asyncProperty(subject.policies, steadyTraffic, async (own, traffic) => {
          const { limiter, actor } = settingOf(subject, ground, own);
          const [alone, disturbed] = [actor("alone"), actor("disturbed")];
          for (const operation of operationsOf(traffic, limiter.policy)) {
            // waiting moves the one clock that both have
            const decision = await alone.perform(operation);
            if (operation.do === "wait") continue;
            await askInVain(limiter, disturbed.key);
            const other = await disturbed.perform(operation);
            expect(other && told(other)).toEqual(decision && told(decision));
          }
        });
        await check(property, ground.runs(RUNS));
      });

      it("stores nothing of a key that nothing was granted to", async () => {
        const { rig, limiter } = settingOf(subject, ground, subject.shape(3, 1_000));
        await askInVain(limiter, KEY);
        await limiter.consume(KEY, { cost: 4 });
        await limiter.consume(KEY, { cost: 0 });
        expect(await rig.keyCount()).toBe(0);
      });
    });

    it("leaves the bytes and the TTL of a key on Redis as they are", async () => {
      const ground = redisGround(server);
      const property = fc.asyncProperty(subject.policies, steadyTraffic, async (own, traffic) => {
        const { rig, limiter, actor } = settingOf(subject, ground, own);
        await actor().pass(traffic);
        const { resetAfterMs } = await limiter.peek(KEY);
        const startMs = performance.now();
        const [dump, ttlMs] = [await rig.dump(), await rig.ttlMs()];
        await askInVain(limiter, KEY);
        expect(await rig.dump()).toBe(dump);
        const ttlAfterMs = await rig.ttlMs();
        const elapsedMs = performance.now() - startMs;
        // one that has become too short for what is left is mended
        if (ttlMs >= resetAfterMs || dump === "") {
          expect(ttlAfterMs).toBeLessThanOrEqual(ttlMs);
          expect(ttlAfterMs).toBeGreaterThanOrEqual(ttlMs - elapsedMs - CLOCK_SLACK_MS);
        }
      });
      await check(property, ground.runs(RUNS * 3));
    });
  });
}

/** Denied calls, limited and hopeless ones, looks, and calls of cost 0. */
async function askInVain(limiter: Limiter, key: string): Promise<void> {
  const { limit } = limiter.policy;
  const { remaining } = await limiter.peek(key);
  expect(await limiter.consume(key, { reserve: limit })).toMatchObject({ allowed: false, reason: "never" });
  expect(await limiter.consume(key, { reserve: remaining })).toMatchObject({ allowed: false });
  expect(await limiter.consume(key, { cost: limit, atLeast: 1, reserve: remaining })).toMatchObject({
    taken: 0,
  });
  await limiter.consume(key, { cost: 0 });
  await limiter.peek(key, { cost: remaining });
  await limiter.peek(key, { cost: 0, reserve: limit });
}
