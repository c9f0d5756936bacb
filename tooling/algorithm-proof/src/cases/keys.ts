import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { check } from "../check.ts";
import type { ProofServer } from "../proof-server.ts";
import { memoryGround, onBothStores, redisGround } from "../rig.ts";
import { KEY, settingOf, told } from "../setting.ts";
import type { Subject } from "../subject.ts";
import { anyTraffic, operationsOf } from "../traffic.ts";

const RUNS = 100;

/** What keys, names and stores did to other people's limiters. */
export function proveKeyCases<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("keys", () => {
    it("gives the same decisions in memory as on Redis", async () => {
      // traefik#13706, fastify-rate-limit#215 and #304
      const property = fc.asyncProperty(subject.policies, anyTraffic, async (own, traffic) => {
        const inMemory = settingOf(subject, memoryGround(), own);
        const onRedis = settingOf(subject, redisGround(server), own);
        const [one, other] = [inMemory.actor(), onRedis.actor()];
        for (const operation of operationsOf(traffic, inMemory.limiter.policy)) {
          const [decision, twin] = [await one.perform(operation), await other.perform(operation)];
          expect(twin && told(twin)).toEqual(decision && told(decision));
        }
      });
      await check(property, RUNS);
    });

    onBothStores(server, (ground) => {
      it("gives u1 its whole limit back when it is reset, and leaves u10 alone", async () => {
        // limits#276
        const { rig, limiter } = settingOf(subject, ground, subject.shape(5, 60_000));
        for (const key of ["u1", "u10"]) await limiter.consume(key, { cost: 2 });
        // a limit that looks back over two windows must forget both
        rig.clock.advance(60_000 * (subject.windowsKept - 1));
        for (const key of ["u1", "u10"]) await limiter.consume(key, { cost: 2 });
        const { remaining } = await limiter.peek("u10");
        await limiter.reset("u1");
        expect(await limiter.peek("u1")).toMatchObject({ remaining: 5, resetAfterMs: 0 });
        expect(await limiter.peek("u10")).toMatchObject({ remaining });
        expect(remaining).toBeLessThan(5);
        expect(await rig.keyCount()).toBe(1);
      });

      it("counts two limits on one store apart, though they have one key in common", async () => {
        // express-rate-limit#362
        const { rig, limiter } = settingOf(subject, ground, subject.shape(5, 60_000));
        const other = subject.create({ ...subject.shape(5, 1_000), name: "other", store: rig.store });
        await limiter.consume(KEY, { cost: 3 });
        await other.consume(KEY, { cost: 1 });
        expect((await limiter.peek(KEY)).remaining).toBe(2);
        expect((await other.peek(KEY)).remaining).toBe(4);
      });

      it("counts one limit as one, by whichever of its limiters it is asked", async () => {
        const { rig, limiter } = settingOf(subject, ground, subject.shape(5, 60_000));
        const twin = subject.create({ ...subject.shape(5, 60_000), name: "proof", store: rig.store });
        const decision = await limiter.consume(KEY, { cost: 3 });
        expect((await twin.consume(KEY)).remaining).toBe(1);
        await twin.refund(decision);
        expect((await limiter.peek(KEY)).remaining).toBe(subject.undoes === "last" ? 1 : 4);
      });

      it("keeps the parts of a key apart, and every user in a place of their own", async () => {
        const { rig, limiter } = settingOf(subject, ground, subject.shape(5, 60_000));
        const keys = [
          ["a", "bc"],
          ["ab", "c"],
          "a|bc",
          "abc",
          "A",
          "a",
          "{a}",
          "a}",
          "%7B",
          "\ud800",
          "é",
          "e\u0301",
        ];
        for (const key of keys) expect((await limiter.consume(key)).remaining).toBe(4);
        expect(await rig.keyCount()).toBe(keys.length);
      });
    });
  });
}
