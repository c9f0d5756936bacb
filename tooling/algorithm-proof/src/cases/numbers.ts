import { describe, expect, it } from "vitest";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores } from "../rig.ts";
import { KEY, settingOf } from "../setting.ts";
import type { Subject } from "../subject.ts";

/** What numbers did to other people's limiters. */
export function proveNumberCases<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("numbers", () => {
    onBothStores(server, (ground) => {
      it("leaves limit − 1 after the first call", async () => {
        // laravel#10600
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, remaining: 9, taken: 1 });
      });

      it("allows the tenth of ten, with nothing remaining and the reset ahead", async () => {
        // symfony#63491
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        for (let call = 1; call < 10; call++) await limiter.consume(KEY);
        const tenth = await limiter.consume(KEY);
        expect(tenth).toMatchObject({ allowed: true, remaining: 0 });
        expect(tenth.resetAfterMs).toBeGreaterThan(0);
        expect((await limiter.consume(KEY)).allowed).toBe(false);
      });

      it("never remains above the limit, whatever is given back and whenever", async () => {
        // gubernator#87, redisson#7329
        const { rig, limiter } = settingOf(subject, ground, subject.shape(3, 1_000));
        const decisions = [await limiter.consume(KEY), await limiter.consume(KEY, { cost: 2 })];
        rig.clock.advance(999);
        for (const decision of decisions) {
          await limiter.refund(decision);
          expect((await limiter.peek(KEY)).remaining).toBeLessThanOrEqual(3);
          rig.clock.advance(1_000);
        }
        expect(await limiter.peek(KEY)).toMatchObject({ remaining: 3, resetAfterMs: 0 });
      });

      it("takes as many as there are when fewer will do, and says how many", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        await limiter.consume(KEY, { cost: 7 });
        const some = { cost: 8, atLeast: 2 };
        expect(await limiter.consume(KEY, some)).toMatchObject({
          allowed: true,
          cost: 8,
          taken: 3,
          remaining: 0,
        });
        expect(await limiter.consume(KEY, some)).toMatchObject({ allowed: false, cost: 8, taken: 0 });
      });

      it("leaves to others what is reserved for them, and tells all of it as remaining", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        expect(await limiter.consume(KEY, { cost: 7, reserve: 3 })).toMatchObject({
          allowed: true,
          remaining: 3,
        });
        expect(await limiter.consume(KEY, { reserve: 3 })).toMatchObject({ allowed: false, remaining: 3 });
        expect(await limiter.consume(KEY, { cost: 3 })).toMatchObject({ allowed: true, remaining: 0 });
      });

      it.skipIf(subject.smallestLimit > 0)(
        "denies everything under a limit of 0, even a cost of 0",
        async () => {
          const { rig, limiter } = settingOf(subject, ground, subject.shape(0, 1_000));
          for (const cost of [0, 1, 5]) {
            const denied = { allowed: false, reason: "never", remaining: 0, limit: 0, resetAfterMs: 0 };
            expect(await limiter.consume(KEY, { cost })).toMatchObject(denied);
            expect(await limiter.peek(KEY, { cost })).toMatchObject(denied);
            expect(await limiter.consume(KEY, { cost, atLeast: 0 })).toMatchObject(denied);
          }
          expect(await rig.keyCount()).toBe(0);
        },
      );

      it.skipIf(subject.delays)("asks nobody to hold any work", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(3, 60_000));
        for (let call = 0; call < 5; call++) expect((await limiter.consume(KEY)).delayMs).toBe(0);
        expect((await limiter.peek(KEY)).delayMs).toBe(0);
      });
    });
  });
}
