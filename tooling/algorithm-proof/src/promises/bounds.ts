import type { Decision } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amounts, unitsOf } from "../amounts.ts";
import { check } from "../check.ts";
import { policiesInFlight } from "../policies-in-flight.ts";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores } from "../rig.ts";
import { KEY, settingOf } from "../setting.ts";
import type { Subject } from "../subject.ts";
import { anyTraffic, operationsOf } from "../traffic.ts";

const RUNS = 300;
const MOST_GRANTS = 50;

/** What every Decision keeps to. */
export function proveBounds<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("promise 8: 0 ≤ remaining ≤ limit", () => {
    onBothStores(server, (ground) => {
      it("keeps every Decision within its bounds, whatever happens to clocks and policies", async () => {
        const property = fc.asyncProperty(policiesInFlight(subject), anyTraffic, async (owns, traffic) => {
          const [first] = owns;
          if (first === undefined) return;
          const { limiter, actor } = settingOf(subject, ground, first);
          const inForce = owns.map((own) => limiter.with(own));
          const user = actor();
          for (const [index, operation] of operationsOf(traffic, limiter.policy).entries()) {
            const decision = await user.perform(operation, inForce[Math.floor(index / 3) % inForce.length]);
            if (decision !== undefined) expectSound(decision);
          }
        });
        await check(property, ground.runs(RUNS));
      });

      it("tells grants of one millisecond apart by what remains", async () => {
        const property = fc.asyncProperty(subject.policies, amounts, async (own, amount) => {
          const { limiter } = settingOf(subject, ground, own);
          const cost = Math.max(1, unitsOf(amount, limiter.policy.limit));
          const calls = Array.from({ length: MOST_GRANTS }, () => limiter.consume(KEY, { cost }));
          const granted = (await Promise.all(calls)).filter(({ allowed }) => allowed);
          expect(new Set(granted.map(({ remaining }) => remaining)).size).toBe(granted.length);
        });
        await check(property, ground.runs(RUNS));
      });
    });
  });
}

function expectSound(decision: Decision): void {
  const { allowed, limit, remaining, retryAfterMs, resetAfterMs, delayMs, cost, taken, reason } = decision;
  for (const number of [limit, remaining, resetAfterMs, delayMs, cost, taken]) {
    expect(Number.isInteger(number) && number >= 0, JSON.stringify(decision)).toBe(true);
  }
  expect(remaining).toBeLessThanOrEqual(limit);
  expect(retryAfterMs === 0).toBe(allowed);
  expect(reason).toBe(allowed ? "allowed" : retryAfterMs === Number.POSITIVE_INFINITY ? "never" : "limited");
  expect(decision.receipt === "").toBe(taken === 0);
  expect(structuredClone(decision)).toEqual(decision);
}
