import { describe, expect, it } from "vitest";
import type { Decision } from "../src/decision.js";
import { memoryStore } from "../src/memory-store.js";
import { manualClock } from "../src/testing.js";
import { keyedTally } from "./keyed-tally.js";
import { tally } from "./tiny-algorithm.js";

const MAX_KEYS = 1_000;
const FLOOD = 50_000;

interface Consumer {
  consume(key: string, options?: { cost?: number }): Promise<Decision>;
}

const fullStore = () => memoryStore({ maxKeys: MAX_KEYS, clock: manualClock(0) });

/** Sends key after key that is used once, each of which has to pass, and does `meanwhile` ten times on the way. */
async function flood(
  limiter: Consumer,
  meanwhile: (round: number) => Promise<void>,
  cost = 1,
): Promise<void> {
  let denied = 0;
  for (let i = 0; i < FLOOD; i++) {
    if (!(await limiter.consume(`flood:${i}`, { cost })).allowed) denied++;
    if (i % (FLOOD / 10) === FLOOD / 10 - 1) await meanwhile(Math.floor(i / (FLOOD / 10)));
  }
  expect(denied).toBe(0);
}

// three opposite fixes of one limiter: immich-folio#56, #62, #94
describe("under a flood of one-shot keys", () => {
  it("who is limited stays limited, and others are counted exactly", async () => {
    const store = fullStore();
    const limiter = tally({ name: "api", limit: 20, window: "1h", store });
    const users = Array.from({ length: 50 }, (_, user) => `user:${user}`);
    await limiter.consume("attacker", { cost: 20 });
    for (const user of users) await limiter.consume(user, { cost: 5 });
    await flood(limiter, async (round) => {
      expect(await limiter.consume("attacker")).toMatchObject({ allowed: false, remaining: 0 });
      for (const user of users) {
        expect(await limiter.consume(user)).toMatchObject({ allowed: true, remaining: 14 - round });
      }
      expect(store.size).toBe(MAX_KEYS);
    });
  });

  it("a key that is used up in the midst of it stays so", async () => {
    const limiter = tally({ name: "api", limit: 20, window: "1h", store: fullStore() });
    await flood(limiter, async (round) => {
      expect(await limiter.consume(`attacker:${round}`, { cost: 20 })).toMatchObject({ allowed: true });
      for (let earlier = 0; earlier <= round; earlier++) {
        expect(await limiter.consume(`attacker:${earlier}`)).toMatchObject({ allowed: false });
      }
    });
  });

  it("who is blocked stays blocked", async () => {
    const store = fullStore();
    const limiter = tally({ name: "api", limit: 20, window: "1h", blockFor: "2h", store });
    await limiter.consume("guesser", { cost: 20 });
    await limiter.consume("guesser");
    await limiter.block("spammer", "1d");
    await flood(limiter, async () => {
      for (const key of ["guesser", "spammer"]) {
        expect(await limiter.consume(key)).toMatchObject({ allowed: false, reason: "blocked" });
      }
      expect(store.size).toBe(MAX_KEYS);
    });
  });

  it("who has a policy of his own is judged by that, large or small", async () => {
    const limiter = keyedTally({ name: "api", limit: 1_000, window: "1h", perKey: true, store: fullStore() });
    await limiter.setLimit("small", { limit: 10, window: "1h" });
    await limiter.setLimit("large", { limit: 1_000_000, window: "1h" });
    await limiter.consume("small", { cost: 10 });
    await limiter.consume("large", { cost: 500_000 });
    await flood(
      limiter,
      async (round) => {
        expect(await limiter.consume("small")).toMatchObject({ allowed: false, limit: 10 });
        expect(await limiter.consume("large")).toMatchObject({ allowed: true, remaining: 499_999 - round });
      },
      50,
    );
  });

  it("who has a plan is judged by that, whichever plan the flood has", async () => {
    const free = tally({ name: "api", limit: 10, window: "1h", store: fullStore() });
    const paid = free.with({ limit: 1_000 });
    await free.consume("free", { cost: 10 });
    await flood(
      paid,
      async () => {
        expect(await free.consume("free")).toMatchObject({ allowed: false });
      },
      50,
    );
  });
});
