import type { Limiter } from "@sluice/core";
import { expect } from "vitest";
import type { Bench } from "./bench.ts";
import type { Check, Topic } from "./check.ts";
import { LONG_MS, used } from "./usage.ts";

const LIMIT = 5_000;
const USERS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const CALLS_A_ROUND = 20;
/** How often at least the scripts go while callers are at work. */
const FLUSHES = 15;

const oneByOne: Check = {
  title: "answers every operation though the servers have just forgotten their scripts",
  ofConnections: "for one",
  needs: "servers",
  async run(bench) {
    const limiter = bench.realTimeLimiter(LIMIT, LONG_MS);
    await useUp(limiter, "a", () => bench.flushScripts());
  },
};

const underLoad: Check = {
  title: "shows no error, loses no count and doubles none while the scripts vanish under load",
  ofConnections: "for one",
  needs: "servers",
  async run(bench) {
    const limiter = bench.realTimeLimiter(LIMIT, LONG_MS);
    let rounds = 0;
    await whileFlushing(bench, async (flushes) => {
      do {
        const calls = Array.from({ length: CALLS_A_ROUND }, () => limiter.consume("shared"));
        await Promise.all([...calls, ...USERS.map((user) => useUp(limiter, user))]);
        rounds += 1;
      } while (flushes() < FLUSHES);
    });
    expect(await used(limiter, "shared")).toBe(rounds * CALLS_A_ROUND);
  },
};

/** Asks all that can be asked about a user, who has the whole limit before and after, and looks after each answer. */
async function useUp(limiter: Limiter, user: string, before = async (): Promise<void> => {}): Promise<void> {
  await before();
  const decision = await limiter.consume(user, { cost: 3 });
  await before();
  expect(await used(limiter, user)).toBe(3);
  await before();
  const settled = await limiter.settle(decision, 5);
  expect(await used(limiter, user)).toBe(5);
  await before();
  await limiter.refund(settled);
  expect(await used(limiter, user)).toBe(0);
  await limiter.consume(user, { cost: 2 });
  await before();
  await limiter.reset(user);
  expect(await used(limiter, user)).toBe(0);
}

/** Does some work, which is told how often the servers have forgotten their scripts since it began. */
async function whileFlushing(bench: Bench, work: (flushes: () => number) => Promise<void>): Promise<void> {
  let count = 0;
  let atWork = true;
  const flushing = (async () => {
    while (atWork) {
      await bench.flushScripts();
      count += 1;
    }
  })();
  try {
    await work(() => count);
  } finally {
    atWork = false;
    await flushing;
  }
}

/** Servers forget their scripts on a restart, on a failover and on demand. */
export const vanishingScripts: Topic = { title: "vanishing scripts", checks: [oneByOne, underLoad] };
