import { memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../amounts.ts";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores } from "../rig.ts";
import { KEY, settingOf } from "../setting.ts";
import type { Subject } from "../subject.ts";

/** What many calls and many keys did to other people's limiters. */
export function proveCrowdCases<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("crowds", () => {
    onBothStores(server, (ground) => {
      it("grants 5 of 1000 calls at once under a limit of 5", async () => {
        // nestjs/throttler#1303
        const { limiter } = settingOf(subject, ground, subject.shape(5, 60_000));
        const decisions = await Promise.all(Array.from({ length: 1_000 }, () => limiter.consume(KEY)));
        expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
      });

      it("counts all of 1000 calls in one millisecond", async () => {
        // rolling-rate-limiter#11
        const { limiter } = settingOf(subject, ground, subject.shape(2_000, 60_000));
        await Promise.all(Array.from({ length: 1_000 }, () => limiter.consume(KEY)));
        expect((await limiter.peek(KEY)).remaining).toBe(1_000);
      });

      it("judges each of several calls at once by its own cost and its own reserve", async () => {
        // redis-sliding-rate-limiter#23
        const { limiter } = settingOf(subject, ground, subject.shape(10, 60_000));
        const calls = [
          { cost: 6 },
          { cost: 5 },
          { cost: 2, reserve: 3 },
          { cost: 2, reserve: 2 },
          { cost: 2 },
        ];
        const decisions = await Promise.all(calls.map((call) => limiter.consume(KEY, call)));
        expect(decisions.map(({ taken }) => taken)).toEqual([6, 0, 0, 2, 2]);
      });

      it("forgets 3000 grants that end in one moment without being hurt", async () => {
        // bottleneck#151
        const { rig, limiter } = settingOf(subject, ground, subject.shape(3_000, 60_000));
        await Promise.all(Array.from({ length: 3_000 }, () => limiter.consume(KEY)));
        expect((await limiter.consume(KEY)).allowed).toBe(false);
        rig.clock.advance(60_000 * subject.windowsKept);
        expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, remaining: 2_999 });
      });
    });

    it("neither frees an attacker nor blocks anybody else when a flood of keys fills the memory", async () => {
      // three fixes that undid one another: immich-folio#56, #62, #94
      const store = memoryStore({ maxKeys: 100, clock: manualClock(START_MS) });
      const limiter = subject.create({ ...subject.shape(10, 60_000), name: "case", store });
      await limiter.consume("attacker", { cost: 10 });
      for (let i = 0; i < 5_000; i++) {
        expect((await limiter.consume(`flood ${i}`)).allowed).toBe(true);
        expect(store.size).toBeLessThanOrEqual(100);
      }
      expect((await limiter.consume("attacker")).allowed).toBe(false);
      expect((await limiter.consume("somebody else")).allowed).toBe(true);
    });

    it("forgets what has lapsed first when the memory is full", async () => {
      const clock = manualClock(START_MS);
      const store = memoryStore({ maxKeys: 50, clock });
      const limiter = subject.create({ ...subject.shape(10, 60_000), name: "case", store });
      for (let i = 0; i < 25; i++) await limiter.consume(`lapsed ${i}`);
      clock.advance(60_000 * subject.windowsKept);
      for (let i = 0; i < 25; i++) await limiter.consume(`living ${i}`);
      for (let i = 0; i < 25; i++) await limiter.consume(`new ${i}`);
      for (let i = 0; i < 25; i++) expect((await limiter.peek(`living ${i}`)).remaining).toBe(9);
    });
  });
}
