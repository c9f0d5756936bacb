import { type Decision, redisStore } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amounts, unitsOf } from "../amounts.ts";
import { check } from "../check.ts";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores, redisGround } from "../rig.ts";
import { KEY, settingOf, told } from "../setting.ts";
import type { Subject } from "../subject.ts";
import { steadyTraffic } from "../traffic.ts";

const RUNS = 300;
const CONNECTIONS = 4;
const CALLS_A_CONNECTION = 5;

const calls = fc.array(fc.record({ cost: amounts, atLeast: fc.option(amounts), reserve: amounts }), {
  minLength: 2,
  maxLength: 12,
});

/** N parallel callers are granted exactly what one caller in sequence would be. */
export function proveAtomicity<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("promise 3: atomic", () => {
    onBothStores(server, (ground) => {
      it("answers calls at once as it would one after the other, each by its own cost and reserve", async () => {
        const inputs = [subject.policies, steadyTraffic, calls] as const;
        const property = fc.asyncProperty(...inputs, async (own, traffic, some) => {
          const { limiter, actor } = settingOf(subject, ground, own);
          const [atOnce, inTurn] = [actor("at once"), actor("in turn")];
          await atOnce.pass(traffic.filter((act) => act.do !== "wait"));
          await inTurn.pass(traffic.filter((act) => act.do !== "wait"));
          const { limit } = limiter.policy;
          const options = some.map(({ cost, atLeast, reserve }) => {
            const units = unitsOf(cost, limit);
            const fewest = atLeast === null ? units : Math.min(units, unitsOf(atLeast, limit));
            return { cost: units, atLeast: fewest, reserve: unitsOf(reserve, limit) };
          });
          const together = await Promise.all(options.map((option) => limiter.consume(atOnce.key, option)));
          const apart: Decision[] = [];
          for (const option of options) apart.push(await limiter.consume(inTurn.key, option));
          expect(together.map(told)).toEqual(apart.map(told));
        });
        await check(property, ground.runs(RUNS));
      });
    });

    it("grants callers on several connections what one would get, and each another remaining", async () => {
      const ground = redisGround(server);
      const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => server.connect()));
      const property = fc.asyncProperty(subject.policies, amounts, async (own, amount) => {
        const { rig, limiter } = settingOf(subject, ground, own);
        const cost = Math.max(1, unitsOf(amount, limiter.policy.limit));
        const callers = connections.map((connection) => {
          const store = redisStore(connection, { clock: rig.clock, prefix: rig.prefix });
          return subject.create({ ...own, name: "proof", store });
        });
        const decisions = await Promise.all(
          callers.flatMap((caller) =>
            Array.from({ length: CALLS_A_CONNECTION }, () => caller.consume(KEY, { cost })),
          ),
        );
        const granted = decisions.filter(({ allowed }) => allowed);
        const fitting = Math.floor(limiter.policy.limit / cost);
        expect(granted.length).toBe(Math.min(decisions.length, fitting));
        expect(new Set(granted.map(({ remaining }) => remaining)).size).toBe(granted.length);
      });
      await check(property, ground.runs(RUNS * 2));
    });
  });
}
