import type { Limiter } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Stretch, stretchMs } from "../amounts.ts";
import { check } from "../check.ts";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores, redisGround } from "../rig.ts";
import { drain, KEY, settingOf } from "../setting.ts";
import type { Subject } from "../subject.ts";

const RUNS = 300;

const limits = fc.integer({ min: 1, max: 1_000 });
const windows = fc.integer({ min: 1, max: 100_000 });
const parts = fc.integer({ min: 0, max: 16 });

/** What is used stays used when a policy changes under the same name. */
export function provePolicyChanges<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  /** Part of a limit is used: some of it a while ago, so that it has come back in part, the rest just now. */
  const inputs = fc.record({
    limit: limits,
    windowMs: windows,
    used: parts,
    waited: parts,
    usedLater: parts,
  });

  describe("promise 6: what is used stays used", () => {
    onBothStores(server, (ground) => {
      const partlyUsed = async (input: PartlyUsed): Promise<Limiter<string, Own>> => {
        const { rig, limiter } = settingOf(subject, ground, subject.shape(input.limit, input.windowMs));
        await limiter.consume(KEY, { cost: share(input.used, input.limit - 1) });
        rig.clock.advance(stretchMs(sixteenths(input.waited), input.windowMs));
        await limiter.consume(KEY, { cost: 1 + share(input.usedLater, input.limit), atLeast: 1 });
        return limiter;
      };

      it("gives exactly 5 more when a limit is raised by 5", async () => {
        const property = fc.asyncProperty(inputs, async (input) => {
          const limiter = await partlyUsed(input);
          const raised = limiter.with(subject.resized(input.limit + 5));
          const { remaining } = await limiter.peek(KEY);
          expect((await raised.peek(KEY)).remaining).toBe(remaining + 5);
          expect(await drain(raised)).toMatchObject({ taken: remaining + 5, remaining: 0 });
        });
        await check(property, ground.runs(RUNS));
      });

      it("takes exactly as much as a limit is lowered by, and denies below what is used", async () => {
        const property = fc.asyncProperty(inputs, limits, async (input, limit) => {
          const limiter = await partlyUsed(input);
          const lowered = limiter.with(subject.resized(Math.min(limit, input.limit)));
          const { remaining } = await limiter.peek(KEY);
          const left = remaining - (input.limit - lowered.policy.limit);
          expect((await lowered.peek(KEY)).remaining).toBe(Math.max(0, left));
          expect((await lowered.consume(KEY)).allowed).toBe(left >= 1);
        });
        await check(property, ground.runs(RUNS));
      });

      it("keeps what is used when the window changes, but for less than one unit", async () => {
        const property = fc.asyncProperty(inputs, windows, async (input, someMs) => {
          const limiter = await partlyUsed(input);
          const { remaining } = await limiter.peek(KEY);
          const windowMs = subject.remembers === "dates" ? Math.max(someMs, input.windowMs) : someMs;
          const changed = await limiter.with(subject.shape(input.limit, windowMs)).peek(KEY);
          expect(changed.remaining).toBeLessThanOrEqual(remaining);
          expect(changed.remaining).toBeGreaterThanOrEqual(remaining - 1);
        });
        await check(property, ground.runs(RUNS));
      });

      it("rounds once, however often the changed limit is asked", async () => {
        const property = fc.asyncProperty(inputs, windows, async (input, windowMs) => {
          const limiter = await partlyUsed(input);
          const changed = limiter.with(subject.shape(input.limit, windowMs));
          const first = await changed.peek(KEY);
          for (let poll = 0; poll < 10; poll++) {
            await changed.consume(KEY, { cost: 0 });
            await changed.consume(KEY, { reserve: first.remaining });
            await limiter.peek(KEY);
          }
          expect(await changed.peek(KEY)).toEqual(first);
        });
        await check(property, ground.runs(RUNS));
      });

      it("ends a shortened window on the new schedule", async () => {
        const property = fc.asyncProperty(limits, windows, windows, async (limit, one, another) => {
          const [shortMs, longMs] = [Math.min(one, another), Math.max(one, another)];
          const { rig, limiter } = settingOf(subject, ground, subject.shape(limit, longMs));
          await drain(limiter);
          const shortened = limiter.with(subject.shape(limit, shortMs));
          const denied = await shortened.consume(KEY, { cost: limit });
          expect(denied.retryAfterMs).toBeLessThanOrEqual(shortMs * subject.windowsKept);
          rig.clock.advance(denied.retryAfterMs);
          expect((await shortened.consume(KEY, { cost: limit })).allowed).toBe(true);
        });
        await check(property, ground.runs(RUNS));
      });

      it("does not forget a lengthened window early, from the first call on", async () => {
        const early = fc.integer({ min: 0, max: 15 });
        const property = fc.asyncProperty(
          limits,
          windows,
          windows,
          early,
          async (limit, one, another, part) => {
            const [shortMs, longMs] = [Math.min(one, another), Math.max(one, another)];
            const { rig, limiter } = settingOf(subject, ground, subject.shape(limit, shortMs));
            await drain(limiter);
            rig.clock.advance(stretchMs(sixteenths(part), shortMs));
            const lengthened = limiter.with(subject.shape(limit, longMs));
            const first = await lengthened.consume(KEY, { cost: limit });
            fc.pre(!first.allowed);
            rig.clock.advance(first.retryAfterMs - 1);
            expect((await lengthened.consume(KEY, { cost: limit })).allowed).toBe(false);
            rig.clock.advance(1);
            expect((await lengthened.consume(KEY, { cost: limit })).allowed).toBe(true);
          },
        );
        await check(property, ground.runs(RUNS));
      });
    });

    it("lengthens the TTL on Redis at the first call under a longer window, denied or not", async () => {
      const { rig, limiter } = settingOf(subject, redisGround(server), subject.shape(5, 10_000));
      await drain(limiter);
      const denied = await limiter.with(subject.shape(5, 10_000_000)).consume(KEY, { cost: 5 });
      expect(denied.allowed).toBe(false);
      expect(await rig.ttlMs()).toBeGreaterThanOrEqual(denied.resetAfterMs - 1_000);
    });
  });
}

interface PartlyUsed {
  readonly limit: number;
  readonly windowMs: number;
  readonly used: number;
  readonly waited: number;
  readonly usedLater: number;
}

function share(part: number, limit: number): number {
  return Math.floor((limit * part) / 16);
}

function sixteenths(part: number): Stretch {
  return { sixteenths: part, plusMs: 0 };
}
