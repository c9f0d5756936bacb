import type { Decision } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amounts, forwardStretches, shift, stretchMs, unitsOf } from "../amounts.ts";
import { check } from "../check.ts";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores } from "../rig.ts";
import { drain, KEY, settingOf, told } from "../setting.ts";
import { settleIfCountable } from "../settle.ts";
import type { Subject } from "../subject.ts";
import { steadyTraffic } from "../traffic.ts";

const RUNS = 300;

const corrections = fc.array(
  fc.record({
    which: fc.nat({ max: 20 }),
    actualCost: fc.option(fc.nat({ max: 9 }), { freq: 2 }),
  }),
  { minLength: 1, maxLength: 8 },
);

/** A refund gives back what was taken, and no more. */
export function proveRefunds<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("promise 7: a refund undoes, and no more", () => {
    onBothStores(server, (ground) => {
      it("leaves, at once, what there would be had the call not been made", async () => {
        const property = fc.asyncProperty(
          subject.policies,
          steadyTraffic,
          amounts,
          async (own, traffic, cost) => {
            const { limiter, actor } = settingOf(subject, ground, own);
            await actor().pass(traffic);
            const before = await limiter.peek(KEY);
            const call = { cost: unitsOf(cost, limiter.policy.limit), atLeast: 0 };
            await limiter.refund(await limiter.consume(KEY, call));
            expect(await limiter.peek(KEY)).toEqual(before);
          },
        );
        await check(property, ground.runs(RUNS));
      });

      it("gives back never more than was taken, and never lifts what remains above the limit", async () => {
        const inputs = [subject.policies, steadyTraffic, forwardStretches, steadyTraffic] as const;
        const property = fc.asyncProperty(...inputs, async (own, traffic, wait, later) => {
          const { rig, limiter, actor } = settingOf(subject, ground, own);
          await actor().pass(traffic);
          const decision = await drain(limiter);
          await actor().pass(later.filter((act) => act.do !== "reset"));
          shift(rig.clock, stretchMs(wait, limiter.policy.windowMs));
          const before = await limiter.peek(KEY);
          await limiter.refund(decision);
          const after = await limiter.peek(KEY);
          expect(after.remaining).toBeGreaterThanOrEqual(before.remaining);
          expect(after.remaining).toBeLessThanOrEqual(before.remaining + decision.taken);
          expect(after.remaining).toBeLessThanOrEqual(after.limit);
        });
        await check(property, ground.runs(RUNS));
      });

      it("works once for a receipt", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        const decision = await limiter.consume(KEY, { cost: 4 });
        await limiter.consume(KEY, { cost: 5 });
        // a Decision that was stored or sent in between is the same one
        const copy: Decision = JSON.parse(JSON.stringify(decision));
        await Promise.all([limiter.refund(decision), limiter.refund(copy), limiter.refund(decision)]);
        expect((await limiter.peek(KEY)).remaining).toBe(subject.undoes === "last" ? 1 : 5);
      });

      it("gives nothing back of a call that took nothing", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        await limiter.consume(KEY, { cost: 10 });
        for (const decision of [
          await limiter.consume(KEY),
          await limiter.consume(KEY, { cost: 0 }),
          await limiter.peek(KEY),
        ]) {
          expect(decision.receipt).toBe("");
          await limiter.refund(decision);
        }
        expect((await limiter.peek(KEY)).remaining).toBe(0);
      });

      it("never gives back what others took, in whatever order one call is corrected, however often", async () => {
        const property = fc.asyncProperty(corrections, async (some) => {
          const { limiter } = settingOf(subject, ground, subject.shape(100, 3_600_000));
          await limiter.consume(KEY, { cost: 50 });
          const known = [await limiter.consume(KEY, { cost: 5 })];
          for (const { which, actualCost } of some) {
            const decision = known[which % known.length];
            if (decision === undefined) continue;
            if (actualCost === null) await limiter.refund(decision);
            else known.push((await settleIfCountable(limiter, decision, actualCost)) ?? decision);
            expect((await limiter.peek(KEY)).remaining).toBeLessThanOrEqual(50);
          }
        });
        await check(property, ground.runs(RUNS));
      });

      it("refuses a Decision of another limit", async () => {
        const { rig, limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        const other = subject.create({ ...subject.shape(10, 60_000), name: "other", store: rig.store });
        const decision = await other.consume(KEY);
        await expect(limiter.refund(decision)).rejects.toMatchObject({ code: "ERR_SLUICE_INVALID_KEY" });
        await expect(limiter.settle(decision, 2)).rejects.toMatchObject({ code: "ERR_SLUICE_INVALID_KEY" });
        expect(await rig.keyCount()).toBe(1);
      });

      it.skipIf(subject.undoes !== "level")(
        "leaves, at any time, what there would be had the call not been made, if nothing came between",
        async () => {
          const inputs = [subject.policies, steadyTraffic, amounts, forwardStretches] as const;
          const property = fc.asyncProperty(...inputs, async (own, traffic, cost, wait) => {
            const { rig, limiter, actor } = settingOf(subject, ground, own);
            const [undone, never] = [actor("undone"), actor("never")];
            const calls = traffic.filter((act) => act.do !== "wait");
            await undone.pass(calls);
            await never.pass(calls);
            const units = unitsOf(cost, limiter.policy.limit);
            const decision = await limiter.consume(undone.key, { cost: units, atLeast: 0 });
            shift(rig.clock, stretchMs(wait, limiter.policy.windowMs));
            await limiter.refund(decision);
            expect(told(await limiter.peek(undone.key))).toEqual(told(await limiter.peek(never.key)));
          });
          await check(property, ground.runs(RUNS));
        },
      );

      it.skipIf(subject.undoes !== "window")("gives nothing back once its window is over", async () => {
        const { rig, limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        const decision = await limiter.consume(KEY, { cost: 4 });
        rig.clock.advance(60_000);
        await limiter.consume(KEY, { cost: 5 });
        const before = await limiter.peek(KEY);
        await limiter.refund(decision);
        expect(await limiter.peek(KEY)).toEqual(before);
      });

      it.skipIf(subject.undoes !== "last")(
        "gives nothing back while a later call holds its place",
        async () => {
          const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
          const decision = await limiter.consume(KEY, { cost: 4 });
          await limiter.consume(KEY, { cost: 5 });
          const before = await limiter.peek(KEY);
          await limiter.refund(decision);
          expect(await limiter.peek(KEY)).toEqual(before);
        },
      );
    });
  });
}
