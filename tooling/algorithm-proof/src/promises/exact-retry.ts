import type { ConsumeOptions, Decision, Limiter } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Amount, amounts, stretchMs, unitsOf } from "../amounts.ts";
import { check } from "../check.ts";
import type { ProofServer } from "../proof-server.ts";
import { type Ground, onBothStores, type Rig } from "../rig.ts";
import { drain, KEY, settingOf } from "../setting.ts";
import type { Subject } from "../subject.ts";
import { steadyTraffic } from "../traffic.ts";

const RUNS = 300;
const sixteenths = fc.integer({ min: 0, max: 15 });

/** How a call comes to be denied that could pass later. */
const denials = fc.record({
  waitSixteenths: sixteenths,
  setBackSixteenths: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: sixteenths }),
  cost: amounts,
  atLeast: fc.option(amounts),
  reserve: fc.option(amounts),
});
type Denial = typeof denials extends fc.Arbitrary<infer D> ? D : never;

/** A call that is denied now. */
interface Denied {
  readonly rig: Rig;
  readonly limiter: Limiter;
  readonly call: ConsumeOptions;
  readonly decision: Decision;
}

/** At `decidedAtMs + retryAfterMs` the same call is allowed; a millisecond earlier it is denied. */
export function proveExactRetry<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("promise 1: exact", () => {
    onBothStores(server, (ground) => {
      it("lets a denied call pass at the very millisecond that it was promised, not one earlier", async () => {
        const property = fc.asyncProperty(subject.policies, denials, async (own, denial) => {
          const { rig, limiter, call, decision } = await denied(subject, ground, own, denial);
          if (decision.retryAfterMs > 1) {
            rig.clock.advance(decision.retryAfterMs - 1);
            expect(await limiter.consume(KEY, call)).toMatchObject({ allowed: false, retryAfterMs: 1 });
            rig.clock.advance(1);
          } else {
            rig.clock.advance(decision.retryAfterMs);
          }
          expect(await limiter.consume(KEY, call)).toMatchObject({ allowed: true, retryAfterMs: 0 });
        });
        await check(property, ground.runs(RUNS));
      });

      it("keeps to that millisecond however often it is asked in between", async () => {
        const polls = fc.array(sixteenths, { maxLength: 12 }).map((some) => some.sort((a, b) => a - b));
        const property = fc.asyncProperty(subject.policies, denials, polls, async (own, denial, some) => {
          const { rig, limiter, call, decision } = await denied(subject, ground, own, denial);
          const passesAtMs = decision.decidedAtMs + decision.retryAfterMs;
          for (const poll of some) {
            rig.clock.set(
              decision.decidedAtMs + stretchMs({ sixteenths: poll, plusMs: 0 }, decision.retryAfterMs),
            );
            const polled = await limiter.consume(KEY, call);
            expect(polled.allowed).toBe(false);
            expect(polled.decidedAtMs + polled.retryAfterMs).toBe(passesAtMs);
          }
          rig.clock.set(passesAtMs);
          expect((await limiter.consume(KEY, call)).allowed).toBe(true);
        });
        await check(property, ground.runs(RUNS));
      });

      it("tells a look the same moment as the call itself", async () => {
        const property = fc.asyncProperty(subject.policies, denials, async (own, denial) => {
          const { limiter, call } = await denied(subject, ground, own, denial);
          const { cost, reserve } = call;
          const { allowed, reason, retryAfterMs } = await limiter.peek(KEY, { cost, reserve });
          expect(await limiter.consume(KEY, { cost, reserve })).toMatchObject({
            allowed,
            reason,
            retryAfterMs,
          });
        });
        await check(property, ground.runs(RUNS));
      });

      it("tells a call that asks for more than the limit that it can never pass", async () => {
        const { limiter } = settingOf(subject, ground, subject.shape(5, 1_000));
        const never = { allowed: false, reason: "never", retryAfterMs: Number.POSITIVE_INFINITY, taken: 0 };
        expect(await limiter.consume(KEY, { cost: 6 })).toMatchObject(never);
        expect(await limiter.consume(KEY, { cost: 1, reserve: 5 })).toMatchObject(never);
        expect(await limiter.consume(KEY, { cost: 9, atLeast: 3, reserve: 3 })).toMatchObject(never);
        expect(await limiter.peek(KEY, { cost: 6 })).toMatchObject(never);
        expect(await limiter.consume(KEY, { cost: 9, atLeast: 3, reserve: 2 })).toMatchObject({ taken: 3 });
      });

      it("is whole again at the very millisecond that resetAfterMs names, not one earlier", async () => {
        const property = fc.asyncProperty(subject.policies, steadyTraffic, async (own, traffic) => {
          const { rig, limiter, actor } = settingOf(subject, ground, own);
          await actor().pass(traffic);
          const { resetAfterMs } = await limiter.peek(KEY);
          fc.pre(resetAfterMs > 0 && Number.isSafeInteger(rig.clock() + resetAfterMs));
          rig.clock.advance(resetAfterMs - 1);
          expect(await limiter.peek(KEY)).toMatchObject({ resetAfterMs: 1 });
          expect((await limiter.peek(KEY)).remaining).toBeLessThan(limiter.policy.limit);
          rig.clock.advance(1);
          expect(await limiter.peek(KEY)).toMatchObject({ resetAfterMs: 0, remaining: limiter.policy.limit });
        });
        await check(property, ground.runs(RUNS));
      });
    });
  });
}

async function denied<Own extends object>(
  subject: Subject<Own>,
  ground: Ground,
  own: Own,
  denial: Denial,
): Promise<Denied> {
  const { rig, limiter } = settingOf(subject, ground, own);
  const { limit, windowMs } = limiter.policy;
  const { resetAfterMs } = await drain(limiter);
  rig.clock.advance(stretchMs({ sixteenths: denial.waitSixteenths, plusMs: 0 }, resetAfterMs));
  const back = stretchMs({ sixteenths: denial.setBackSixteenths, plusMs: 0 }, windowMs);
  rig.clock.set(Math.max(0, rig.clock() - back));
  await drain(limiter);
  const call = callOf(denial, limit);
  const decision = await limiter.consume(KEY, call);
  expect(decision).toMatchObject({ allowed: false, reason: "limited", taken: 0 });
  expect(decision.retryAfterMs).toBeGreaterThan(0);
  return { rig, limiter, call, decision };
}

/** A call for at least one unit, and for no more than the limit can give. */
function callOf({ cost, atLeast, reserve }: Denial, limit: number): ConsumeOptions {
  const bounded = (amount: Amount, max: number): number => Math.min(unitsOf(amount, limit), max);
  const units = Math.max(1, bounded(cost, limit));
  const least = atLeast === null ? units : Math.max(1, bounded(atLeast, units));
  return { cost: units, atLeast: least, reserve: reserve === null ? 0 : bounded(reserve, limit - least) };
}
