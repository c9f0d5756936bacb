import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shift } from "../amounts.ts";
import { check } from "../check.ts";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores, type RedisRig, redisGround } from "../rig.ts";
import { drain, KEY, type Setting, settingOf, told } from "../setting.ts";
import { settleIfCountable } from "../settle.ts";
import type { Subject } from "../subject.ts";
import { anyTraffic, steadyTraffic, type Traffic } from "../traffic.ts";

const RUNS = 300;
/** A TTL within a second of what it should be is right. */
const SLACK_MS = 1_000;

/** A TTL is never shorter than its state matters, and at most twice as long, plus a second. */
export function proveLifetimes<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("promise 4: forgetting is harmless", () => {
    onBothStores(server, (ground) => {
      it("answers, once the limit is whole, as it does to a key that was never used", async () => {
        const property = fc.asyncProperty(subject.policies, steadyTraffic, async (own, traffic) => {
          const { rig, limiter, actor } = settingOf(subject, ground, own);
          await actor().pass(traffic);
          const { resetAfterMs } = await limiter.peek(KEY);
          fc.pre(Number.isSafeInteger(rig.clock() + resetAfterMs));
          rig.clock.advance(resetAfterMs);
          const used = [await limiter.peek(KEY), await drain(limiter)];
          const unused = [await limiter.peek("unused"), await drain(limiter, "unused")];
          expect(used.map(told)).toEqual(unused.map(told));
        });
        await check(property, ground.runs(RUNS));
      });

      it("holds nothing of a key whose grants were all given back", async () => {
        const { rig, limiter } = settingOf(subject, ground, subject.shape(3, 60_000));
        await limiter.refund(await limiter.consume(KEY, { cost: 2 }));
        expect(await rig.keyCount()).toBe(0);
      });
    });

    const ground = redisGround(server);

    it("gives a key a TTL as long as its state matters, and at most twice that and a second", async () => {
      const property = fc.asyncProperty(subject.policies, anyTraffic, async (own, traffic) => {
        const setting = settingOf(subject, ground, own);
        await passAndTake(setting, traffic);
        await expectFittingTtl(setting);
      });
      await check(property, ground.runs(RUNS * 3));
    });

    it("fits the TTL to what a refund or a settlement leaves", async () => {
      const actualCost = fc.nat({ max: 12 });
      const property = fc.asyncProperty(
        subject.policies,
        anyTraffic,
        actualCost,
        async (own, traffic, cost) => {
          const setting = settingOf(subject, ground, own);
          await passAndTake(setting, traffic);
          const decision = await setting.limiter.consume(KEY, { cost: 2, atLeast: 0 });
          await settleIfCountable(setting.limiter, decision, cost);
          await expectFittingTtl(setting);
        },
      );
      await check(property, ground.runs(RUNS * 2));
    });

    for (const [mended, cut] of [
      ["a TTL that is missing", ["PERSIST"]],
      ["a TTL that was cut short", ["PEXPIRE", "5000"]],
    ] as const) {
      const [command, ...args] = cut;

      it(`mends ${mended} by the next call, allowed`, async () => {
        const setting = settingOf(subject, ground, subject.shape(5, 3_600_000));
        await setting.limiter.consume(KEY, { cost: 3 });
        await setting.rig.onKey(command, ...args);
        expect((await setting.limiter.consume(KEY)).allowed).toBe(true);
        await expectFittingTtl(setting);
      });

      it(`mends ${mended} by the next call, denied, and leaves the bytes as they are`, async () => {
        const setting = settingOf(subject, ground, subject.shape(5, 3_600_000));
        await setting.limiter.consume(KEY, { cost: 3 });
        await setting.rig.onKey(command, ...args);
        const dump = await setting.rig.dump();
        expect((await setting.limiter.consume(KEY, { cost: 4 })).allowed).toBe(false);
        await expectFittingTtl(setting);
        expect(await setting.rig.dump()).toBe(dump);
      });
    }

    it("keeps a key that was first used a moment before its window's end", async () => {
      // a count and its TTL start anew together (rate-limit-redis#216)
      const setting = settingOf(subject, ground, subject.shape(5, 60_000));
      setting.rig.clock.set(Math.ceil(setting.rig.clock() / 60_000) * 60_000 - 1);
      await setting.limiter.consume(KEY);
      await expectFittingTtl(setting);
      setting.rig.clock.advance(1);
      await setting.limiter.consume(KEY);
      await expectFittingTtl(setting);
    });
  });
}

/** Lets traffic pass and takes one more unit, as soon as there is one: what was written last is a grant. */
async function passAndTake<Own extends object>(
  { rig, limiter, actor }: Setting<Own, RedisRig>,
  traffic: Traffic,
): Promise<void> {
  await actor().pass(traffic);
  const { allowed, retryAfterMs } = await limiter.consume(KEY);
  if (allowed) return;
  shift(rig.clock, retryAfterMs);
  // the dates that can be told end before a debt is paid that takes longer than that
  fc.pre((await limiter.consume(KEY)).allowed);
}

async function expectFittingTtl<Own extends object>({ rig, limiter }: Setting<Own, RedisRig>): Promise<void> {
  const neededMs = (await limiter.peek(KEY)).resetAfterMs;
  const ttlMs = await rig.ttlMs();
  if (neededMs === 0 && ttlMs === -2) return;
  expect(ttlMs).toBeGreaterThanOrEqual(neededMs - SLACK_MS);
  expect(ttlMs).toBeLessThanOrEqual(2 * neededMs + 1_000 + SLACK_MS);
}
