import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amounts, forwardStretches, shift, stretchMs, unitsOf } from "../amounts.ts";
import { check } from "../check.ts";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores } from "../rig.ts";
import { drain, KEY, settingOf } from "../setting.ts";
import type { Subject } from "../subject.ts";

const RUNS = 300;
/** Where the clock stands so that it can be set back by any window. */
const LATE_MS = 2 ** 52;

const limits = fc.integer({ min: 1, max: 1_000 });
const windows = fc.integer({ min: 1, max: 100_000 });
const sixteenths = fc.integer({ min: 0, max: 16 });
const wobbles = fc.array(
  fc.record({ forward: forwardStretches, backSixteenths: sixteenths, calls: fc.integer({ min: 1, max: 4 }) }),
  { minLength: 2, maxLength: 15 },
);

/** A clock that steps back mints nothing, and locks nobody for more than two spans. */
export function proveClockSteps<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("promise 5: the store's clock decides", () => {
    onBothStores(server, (ground) => {
      it("grants under a clock that wobbles within a window no more than its readings are apart for", async () => {
        const inputs = [limits, windows, amounts, wobbles] as const;
        const property = fc.asyncProperty(...inputs, async (limit, windowMs, amount, steps) => {
          const { rig, limiter } = settingOf(subject, ground, subject.shape(limit, windowMs));
          const cost = Math.max(1, Math.min(unitsOf(amount, limit), limit));
          let [earliestMs, latestMs, granted] = [rig.clock(), rig.clock(), 0];
          for (const { forward, backSixteenths, calls } of steps) {
            latestMs += stretchMs(forward, windowMs);
            rig.clock.set(latestMs - stretchMs({ sixteenths: backSixteenths, plusMs: 0 }, windowMs));
            earliestMs = Math.min(earliestMs, rig.clock());
            for (let call = 0; call < calls; call++) {
              granted += (await limiter.consume(KEY, { cost })).taken;
            }
          }
          expect(granted).toBeLessThanOrEqual(subject.atMost(limit, windowMs, latestMs - earliestMs));
        });
        await check(property, ground.runs(RUNS));
      });

      it("reckons from the date of a grant that lies up to one window ahead, and keeps what is used", async () => {
        const property = fc.asyncProperty(
          subject.policies,
          amounts,
          sixteenths,
          async (own, amount, part) => {
            const { rig, limiter } = settingOf(subject, ground, own);
            const { limit, windowMs } = limiter.policy;
            rig.clock.set(LATE_MS);
            const cost = Math.max(1, Math.min(unitsOf(amount, limit), limit));
            const { remaining } = await limiter.consume(KEY, { cost });
            const call = { cost: limit };
            const { retryAfterMs } = await limiter.peek(KEY, call);
            const backMs = stretchMs({ sixteenths: part, plusMs: 0 }, windowMs);
            rig.clock.advance(-backMs);
            const later = { remaining, retryAfterMs: retryAfterMs + backMs };
            expect(await limiter.consume(KEY, call)).toMatchObject({ allowed: false, ...later });
          },
        );
        await check(property, ground.runs(RUNS));
      });

      it("takes a grant that lies further ahead for one of now, and keeps what is used", async () => {
        const property = fc.asyncProperty(
          subject.policies,
          amounts,
          fc.nat(),
          async (own, amount, beyondMs) => {
            const { rig, limiter } = settingOf(subject, ground, own);
            const { limit, windowMs } = limiter.policy;
            const spanMs = windowMs * subject.windowsKept;
            rig.clock.set(LATE_MS);
            fc.pre(spanMs + 1 + beyondMs <= rig.clock());
            const cost = Math.max(1, Math.min(limit, unitsOf(amount, limit)));
            const { remaining } = await limiter.consume(KEY, { cost });
            rig.clock.advance(-(spanMs + 1 + beyondMs));
            const denied = await limiter.consume(KEY, { cost: limit });
            expect(denied).toMatchObject({ allowed: false, remaining });
            expect(denied.retryAfterMs).toBeLessThanOrEqual(spanMs);
            rig.clock.advance(denied.retryAfterMs - 1);
            expect((await limiter.consume(KEY, { cost: limit })).allowed).toBe(false);
            rig.clock.advance(1);
            expect((await limiter.consume(KEY, { cost: limit })).allowed).toBe(true);
          },
        );
        await check(property, ground.runs(RUNS));
      });

      it("locks nobody for more than two spans, however far the clock steps back", async () => {
        const backMs = fc.oneof(fc.nat(), fc.maxSafeNat());
        const property = fc.asyncProperty(subject.policies, backMs, async (own, back) => {
          const { rig, limiter } = settingOf(subject, ground, own);
          const { limit, windowMs } = limiter.policy;
          await drain(limiter);
          shift(rig.clock, -(back % (3 * windowMs)));
          const denied = await limiter.consume(KEY, { cost: limit });
          expect(denied.allowed).toBe(false);
          expect(denied.retryAfterMs).toBeLessThanOrEqual(2 * windowMs * subject.windowsKept);
          rig.clock.advance(denied.retryAfterMs);
          expect((await limiter.consume(KEY, { cost: limit })).allowed).toBe(true);
        });
        await check(property, ground.runs(RUNS));
      });
    });
  });
}
