import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amounts, forwardStretches, shift, stretchMs, unitsOf } from "../amounts.ts";
import { check } from "../check.ts";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores } from "../rig.ts";
import { KEY, settingOf, told } from "../setting.ts";
import type { Subject } from "../subject.ts";
import { steadyTraffic } from "../traffic.ts";

const RUNS = 300;

/** A settlement makes a call have taken what it really cost, more or less. */
export function proveSettlements<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("promise 7: a settlement makes a call have taken what it cost", () => {
    onBothStores(server, (ground) => {
      it("leaves, at once, what there would be had the call taken that from the start", async () => {
        const inputs = [subject.policies, steadyTraffic, amounts, amounts] as const;
        const property = fc.asyncProperty(...inputs, async (own, traffic, cost, actual) => {
          const { limiter, actor } = settingOf(subject, ground, own);
          const [settled, direct] = [actor("settled"), actor("direct")];
          const calls = traffic.filter((act) => act.do !== "wait");
          await settled.pass(calls);
          await direct.pass(calls);
          const { remaining, limit } = await limiter.peek(settled.key);
          const actualCost = Math.min(unitsOf(actual, limit), remaining);
          const decision = await limiter.consume(settled.key, { cost: unitsOf(cost, limit), atLeast: 0 });
          const taken = await limiter.consume(direct.key, { cost: actualCost });
          const { resetAfterMs, ...last } = told(await limiter.settle(decision, actualCost));
          expect(last).toMatchObject({ allowed: true, taken: actualCost, remaining: taken.remaining });
          expect(resetAfterMs).toBe(taken.resetAfterMs);
          expect(told(await limiter.peek(settled.key))).toEqual(told(await limiter.peek(direct.key)));
        });
        await check(property, ground.runs(RUNS));
      });

      it.skipIf(subject.undoes !== "level")(
        "leaves the same at any time, if nothing came between",
        async () => {
          const inputs = [subject.policies, fc.tuple(amounts, amounts, amounts), forwardStretches] as const;
          const property = fc.asyncProperty(...inputs, async (own, [before, cost, actual], wait) => {
            const { rig, limiter } = settingOf(subject, ground, own);
            const { limit, windowMs } = limiter.policy;
            for (const key of ["settled", "direct"]) {
              await limiter.consume(key, { cost: unitsOf(before, limit), atLeast: 0 });
            }
            const { remaining } = await limiter.peek("settled");
            const actualCost = Math.min(unitsOf(actual, limit), remaining);
            const decision = await limiter.consume("settled", { cost: unitsOf(cost, limit), atLeast: 0 });
            fc.pre(decision.taken > 0);
            await limiter.consume("direct", { cost: actualCost });
            shift(rig.clock, stretchMs(wait, windowMs));
            await limiter.settle(decision, actualCost);
            expect(told(await limiter.peek("settled"))).toEqual(told(await limiter.peek("direct")));
          });
          await check(property, ground.runs(RUNS));
        },
      );

      it("ends where the last of several settlements says", async () => {
        const actualCosts = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 6 });
        const property = fc.asyncProperty(actualCosts, async (costs) => {
          const { limiter } = settingOf(subject, ground, subject.shape(50, 3_600_000));
          let decision = await limiter.consume(KEY, { cost: 3 });
          for (const cost of costs) decision = await limiter.settle(decision, cost);
          expect(decision).toMatchObject({ taken: costs.at(-1), remaining: 50 - (costs.at(-1) ?? 3) });
          await limiter.refund(decision);
          expect((await limiter.peek(KEY)).remaining).toBe(50);
        });
        await check(property, ground.runs(RUNS));
      });

      it("comes back to the real cost from one that is too large to count, or refuses that one", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(50, 3_600_000));
        await limiter.consume(KEY, { cost: 10 });
        const decision = await limiter.consume(KEY, { cost: 5 });
        const overcharged = await limiter
          .settle(decision, Number.MAX_SAFE_INTEGER)
          .catch((error: unknown) => {
            expect(error).toMatchObject({ code: "ERR_SLUICE_INVALID_COST" });
            return decision;
          });
        await limiter.settle(overcharged, 5);
        expect((await limiter.peek(KEY)).remaining).toBe(35);
      });

      it("owes what it took beyond the limit, and remains at 0 until that is paid", async () => {
        const { rig, limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        const settled = await limiter.settle(await limiter.consume(KEY, { cost: 2 }), 25);
        expect(settled).toMatchObject({ allowed: true, taken: 25, remaining: 0 });
        const denied = await limiter.consume(KEY);
        expect(denied).toMatchObject({ allowed: false, remaining: 0, reason: "limited" });
        // even a call for nothing asks whether the limit is kept
        expect((await limiter.consume(KEY, { cost: 0 })).allowed).toBe(false);
        rig.clock.advance(denied.retryAfterMs - 1);
        expect((await limiter.consume(KEY)).allowed).toBe(false);
        rig.clock.advance(1);
        expect((await limiter.consume(KEY)).allowed).toBe(true);
      });

      it("charges a denied call for work that was done all the same", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        await limiter.consume(KEY, { cost: 8 });
        const denied = await limiter.consume(KEY, { cost: 3 });
        const settled = await limiter.settle(denied, 2);
        expect(settled).toMatchObject({ taken: 2, remaining: 0 });
        await limiter.refund(settled);
        expect((await limiter.peek(KEY)).remaining).toBe(2);
      });

      it("changes nothing by a receipt that was spent, and answers with a Decision that has none", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        const decision = await limiter.consume(KEY, { cost: 4 });
        await limiter.settle(decision, 6);
        const again = await limiter.settle(decision, 9);
        expect(again).toMatchObject({ remaining: 4, receipt: "" });
        expect((await limiter.peek(KEY)).remaining).toBe(4);
      });

      it("gives nothing back by the Decision that a spent receipt was answered with", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        await limiter.consume(KEY, { cost: 5 });
        const decision = await limiter.consume(KEY, { cost: 5 });
        await limiter.refund(decision);
        const spent = await limiter.settle(decision, 3);
        await limiter.settle(spent, 0);
        expect((await limiter.peek(KEY)).remaining).toBe(5);
      });
    });
  });
}
