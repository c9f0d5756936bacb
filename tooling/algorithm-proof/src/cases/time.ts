import { setTimeout as sleep } from "node:timers/promises";
import { type ConsumeOptions, type Decision, memoryStore, redisStore, type Store } from "@sluice/core";
import { describe, expect, it } from "vitest";
import type { ProofServer } from "../proof-server.ts";
import { onBothStores } from "../rig.ts";
import { KEY, settingOf, told } from "../setting.ts";
import type { Subject } from "../subject.ts";

const DAY_MS = 24 * 3_600_000;

/** What clocks did to other people's limiters. */
export function proveTimeCases<Own extends object>(subject: Subject<Own>, server: ProofServer): void {
  describe("time", () => {
    onBothStores(server, (ground) => {
      it("grants once to a clock that steps a window back at every other call", async () => {
        // golang/go#56287
        const { rig, limiter } = settingOf(subject, ground, subject.shape(1, 1_000));
        let granted = 0;
        for (let call = 0; call < 10; call++) {
          granted += (await limiter.consume(KEY)).taken;
          rig.clock.advance(call % 2 === 0 ? -1_000 : 1_000);
        }
        expect(granted).toBe(1);
      });

      it("decides in Paris, in the hour that comes twice, as it does in Greenwich", async () => {
        // apiman#1541
        const hourOf = async (): Promise<unknown[]> => {
          const { rig, limiter } = settingOf(subject, ground, subject.shape(4, 3_600_000));
          const decisions: Decision[] = [];
          rig.clock.set(Date.UTC(2021, 9, 31, 0, 30));
          for (let minute = 0; minute <= 60; minute += 5) {
            decisions.push(await limiter.consume(KEY));
            rig.clock.advance(300_000);
          }
          return decisions.map(told);
        };
        const inParis = await inTimeZone("Europe/Paris", async () => {
          expect(new Date(Date.UTC(2021, 9, 31, 0, 30)).getTimezoneOffset()).toBe(-120);
          expect(new Date(Date.UTC(2021, 9, 31, 1, 30)).getTimezoneOffset()).toBe(-60);
          return hourOf();
        });
        expect(inParis).toEqual(await inTimeZone("UTC", hourOf));
      });

      it("grants a burst and then its pace for 3.5 s to a caller who never rests, and no more", async () => {
        // redis-cell#13
        // states on a server lapse in real time, so the case goes slower there
        const tickMs = ground.kind === "redis" ? 100 : 1;
        const { rig, limiter } = settingOf(subject, ground, subject.shape(10, 100 * tickMs));
        let granted = 0;
        for (let tick = 0; tick <= 3_500; tick++) {
          granted += (await limiter.consume(KEY)).taken;
          rig.clock.advance(tickMs);
        }
        expect(granted).toBeLessThanOrEqual(subject.atMost(10, 100 * tickMs, 3_500 * tickMs));
        // and it does not starve
        expect(granted).toBeGreaterThanOrEqual(350 / subject.windowsKept);
      });

      it("is fresh again after exactly as long as a grant is kept", async () => {
        // shenyu#6754
        const { rig, limiter } = settingOf(subject, ground, subject.shape(3, 1_000));
        await limiter.consume(KEY, { cost: 3 });
        rig.clock.advance(1_000 * subject.windowsKept);
        expect(await limiter.consume(KEY, { cost: 3 })).toMatchObject({ allowed: true, remaining: 0 });
      });

      it("never holds more in any trailing second than it may", async () => {
        // redisson#2931
        const { rig, limiter } = settingOf(subject, ground, subject.shape(3, 1_000));
        const grantedAtMs: number[] = [];
        for (let call = 0; call < 50; call++) {
          const { allowed, decidedAtMs } = await limiter.consume(KEY);
          if (allowed) grantedAtMs.push(decidedAtMs);
          const trailing = grantedAtMs.filter((atMs) => atMs > decidedAtMs - 1_000);
          expect(trailing.length).toBeLessThanOrEqual(subject.atMost(3, 1_000, 999));
          rig.clock.advance(100);
        }
        expect(grantedAtMs.length).toBeGreaterThanOrEqual(12 / subject.windowsKept);
      });

      it("waits the whole of a window that has fractions of milliseconds, rounded up once", async () => {
        // bullmq#1565
        const { rig, limiter } = settingOf(subject, ground, subject.shape(1, 1_000 / 300));
        for (let turn = 0; turn < 10; turn++) {
          expect((await limiter.consume(KEY)).allowed).toBe(true);
          const { allowed, retryAfterMs } = await limiter.consume(KEY);
          expect(allowed).toBe(false);
          expect(retryAfterMs).toBeLessThanOrEqual(4 * subject.windowsKept);
          rig.clock.advance(retryAfterMs);
        }
      });
    });

    describe.each(["memory", "redis"] as const)("by the real clock, in %s", (kind) => {
      const makeStore = (): Store =>
        kind === "memory"
          ? memoryStore()
          : redisStore(server.connection(), { prefix: `real-${Math.random()}` });

      it.each([30, 365])(
        "denies the second of two calls under one per %i days, and warns of no timer",
        async (days) => {
          // rate-limiter-flexible#71 and #231
          const warnings: Error[] = [];
          const warned = (warning: Error): void => void warnings.push(warning);
          process.on("warning", warned);
          const limiter = subject.create({
            ...subject.shape(1, days * DAY_MS),
            name: "case",
            store: makeStore(),
          });
          expect((await limiter.consume(KEY)).allowed).toBe(true);
          await sleep(50);
          expect((await limiter.consume(KEY)).allowed).toBe(false);
          process.off("warning", warned);
          expect(warnings).toEqual([]);
        },
      );

      it("counts a call without options as one that says them all", async () => {
        const limiter = subject.create({
          ...subject.shape(100, 30 * DAY_MS),
          name: "case",
          store: makeStore(),
        });
        const remaining = async (options?: ConsumeOptions) => (await limiter.consume(KEY, options)).remaining;
        expect(await remaining()).toBe(99);
        expect(await remaining({ cost: 1, atLeast: 1, reserve: 0 })).toBe(98);
        expect(await remaining({ cost: 4 })).toBe(94);
        expect(await remaining({ cost: 4, atLeast: 3, reserve: 1 })).toBe(90);
        expect(await remaining({ cost: 91 })).toBe(90);
        expect(await remaining({ cost: 91, atLeast: 1 })).toBe(0);
        expect((await limiter.consume(KEY)).allowed).toBe(false);
      });

      it("keeps its promise to the millisecond to a caller who polls", async () => {
        const limiter = subject.create({ ...subject.shape(2, 100), name: "case", store: makeStore() });
        await limiter.consume(KEY, { cost: 2, atLeast: 0 });
        const denied = await limiter.consume(KEY, { cost: 2 });
        const passesAtMs = denied.decidedAtMs + denied.retryAfterMs;
        for (;;) {
          const { allowed, decidedAtMs, retryAfterMs } = await limiter.consume(KEY, { cost: 2 });
          expect(allowed).toBe(decidedAtMs >= passesAtMs);
          if (allowed) break;
          expect(decidedAtMs + retryAfterMs).toBe(passesAtMs);
        }
      });

      it("is fresh again, and promises no wait from the past, after the event loop was blocked", async () => {
        // rate-limiter-flexible#238
        const limiter = subject.create({ ...subject.shape(1, 20), name: "case", store: makeStore() });
        await limiter.consume(KEY);
        const { resetAfterMs } = await limiter.peek(KEY);
        const blockedUntilMs = performance.now() + resetAfterMs + 2;
        while (performance.now() < blockedUntilMs);
        expect(await limiter.peek(KEY)).toMatchObject({ allowed: true, retryAfterMs: 0, resetAfterMs: 0 });
        expect((await limiter.consume(KEY)).allowed).toBe(true);
      });
    });

    it("tells the server's time to the millisecond, in the first microseconds of a second as in the last", async () => {
      // as text, 999 µs sorts after 1000 µs: python-redis-cache#45
      const store = redisStore(server.connection(), { prefix: "server-time" });
      const limiter = subject.create({ ...subject.shape(1_000, 1_000), name: "case", store });
      const serverMs = async (): Promise<number> => {
        const [seconds, microseconds] = [await server.connection().send("TIME", [])].flat();
        return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
      };
      const untilMs = performance.now() + 1_050;
      while (performance.now() < untilMs) {
        const beforeMs = await serverMs();
        const { decidedAtMs } = await limiter.consume(KEY);
        expect(decidedAtMs).toBeGreaterThanOrEqual(beforeMs);
        expect(decidedAtMs).toBeLessThanOrEqual(await serverMs());
      }
    });
  });
}

/** Runs something as if the machine stood in a time zone. */
async function inTimeZone<T>(zone: string, run: () => Promise<T>): Promise<T> {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    return await run();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}
