import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compose } from "../src/compose.js";
import { StoreError } from "../src/errors.js";
import { memoryStore } from "../src/memory-store.js";
import { manualClock } from "../src/testing.js";
import { tally } from "./tiny-algorithm.js";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const START_MS = 50 * YEAR_MS;

/** A limiter of 2 an hour, on a store and a clock of its own. */
function limited() {
  const clock = manualClock(START_MS);
  const store = memoryStore({ clock });
  return { clock, store, limiter: tally({ name: "api", limit: 2, window: HOUR_MS, store }) };
}

/** Lets some passes go by. */
const sweep = (): unknown => vi.advanceTimersByTime(10_000);

describe("a clock that jumps", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("by years leaves nothing behind", async () => {
    const { clock, store, limiter } = limited();
    await limiter.consume("ada", { cost: 2 });
    clock.advance(10 * YEAR_MS);
    sweep();
    expect(store.size).toBe(0);
    expect(await limiter.consume("ada")).toMatchObject({
      allowed: true,
      remaining: 1,
      resetAfterMs: HOUR_MS,
    });
  });

  it.each([1, 6, 24])("back by %i hours gives nothing away, and locks nobody out for long", async (hours) => {
    const { clock, limiter } = limited();
    await limiter.consume("ada", { cost: 2 });
    clock.advance(-hours * HOUR_MS);
    sweep();
    const denied = await limiter.consume("ada");
    expect(denied).toMatchObject({ allowed: false, remaining: 0 });
    expect(denied.retryAfterMs).toBeLessThanOrEqual(2 * HOUR_MS);
    clock.advance(denied.retryAfterMs - 1);
    sweep();
    expect(await limiter.consume("ada")).toMatchObject({ allowed: false, retryAfterMs: 1 });
    clock.advance(1);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true });
  });

  it("back by hours stops no sweep: keys used since then vanish when they lapse", async () => {
    const { clock, store, limiter } = limited();
    await limiter.consume("ada");
    sweep();
    clock.advance(-6 * HOUR_MS);
    sweep();
    for (const key of ["bob", "ada"]) await limiter.consume(key, { cost: 2 });
    clock.advance(HOUR_MS);
    sweep();
    expect(store.size).toBe(0);
  });

  it("gives nothing but what the time gives that it has gone forward, however it jumps", async () => {
    const jumpMs = fc.oneof(
      fc.integer({ min: -6 * HOUR_MS, max: 6 * HOUR_MS }),
      fc.constantFrom(-10 * YEAR_MS, -HOUR_MS, -1, 1, HOUR_MS, 10 * YEAR_MS),
    );
    const step = fc.oneof(
      fc.record({ jumpMs }),
      fc.record({ cost: fc.integer({ min: 1, max: 2 }) }),
      fc.constant("sweep" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.boolean(), async (steps, blocks) => {
        const clock = manualClock(START_MS);
        const blockFor = blocks ? 3 * HOUR_MS : undefined;
        const store = memoryStore({ clock });
        const limiter = tally({ name: "api", limit: 2, window: HOUR_MS, blockFor, store });
        let forwardMs = 0;
        let granted = 0;
        for (const step of steps) {
          if (step === "sweep") {
            sweep();
          } else if ("jumpMs" in step) {
            const beforeMs = clock();
            clock.set(Math.max(0, beforeMs + step.jumpMs));
            forwardMs += Math.max(0, clock() - beforeMs);
          } else {
            const { taken, remaining, retryAfterMs } = await limiter.consume("ada", step);
            granted += taken;
            expect(remaining).toBe(Math.min(2, Math.max(0, remaining)));
            expect(retryAfterMs).toBeLessThanOrEqual((blocks ? 3 : 2) * HOUR_MS);
          }
        }
        expect(granted).toBeLessThanOrEqual(2 * (1 + Math.floor(forwardMs / HOUR_MS)));
      }),
    );
  });

  it("makes no difference where it is the system's: the store's own does not follow", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout"] });
    const limiter = tally({ name: "api", limit: 1, window: HOUR_MS, store: memoryStore() });
    const { decidedAtMs } = await limiter.consume("ada");
    for (const nowMs of [Date.now() + 10 * YEAR_MS, Date.now() - 6 * HOUR_MS, 0]) {
      vi.setSystemTime(nowMs);
      sweep();
      const denied = await limiter.consume("ada");
      expect(denied).toMatchObject({ allowed: false });
      expect(denied.decidedAtMs - decidedAtMs).toBeGreaterThanOrEqual(0);
      expect(denied.decidedAtMs - decidedAtMs).toBeLessThan(10_000);
    }
  });
});

it("keys lapse though the system's clock is set back meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const store = memoryStore();
  await tally({ name: "api", limit: 1, window: 50, store }).consume("ada");
  vi.setSystemTime(0);
  await vi.waitUntil(() => store.size === 0, { timeout: 10_000 });
  vi.useRealTimers();
});

describe("a clock that fails", () => {
  const broken = new Error("no time");
  const failures = [
    {
      failure: "throws",
      tell(): number {
        throw broken;
      },
    },
    { failure: "tells NaN", tell: () => Number.NaN },
  ];

  /** A limiter with one unit of ada's used, whose clock then fails until it is mended. */
  async function failing(tell: () => number) {
    const clock = vi.fn(() => START_MS);
    const store = memoryStore({ clock });
    const limiter = tally({ name: "api", limit: 2, window: HOUR_MS, blockFor: HOUR_MS, store });
    const granted = await limiter.consume("ada");
    clock.mockImplementation(tell);
    return { clock, store, limiter, granted };
  }

  it.each(failures)(
    "is an error of the store where it $failure, and nothing is counted",
    async ({ tell }) => {
      const { clock, limiter, granted } = await failing(tell);
      const calls = [
        limiter.consume("ada"),
        limiter.peek("ada"),
        limiter.refund(granted),
        limiter.block("ada", "1m"),
        compose([limiter], { name: "both" }).consume("ada"),
      ];
      for (const outcome of await Promise.allSettled(calls)) {
        expect(outcome).toMatchObject({ status: "rejected", reason: { mayHaveCounted: false } });
        expect(outcome).toHaveProperty("reason", expect.any(StoreError));
      }
      clock.mockImplementation(() => START_MS);
      expect(await limiter.consume("ada")).toMatchObject({ allowed: true, remaining: 0 });
    },
  );

  it("is the cause of the error where it throws", async () => {
    const { limiter } = await failing(() => {
      throw broken;
    });
    await expect(limiter.consume("ada")).rejects.toMatchObject({
      message: "memory store: the clock failed",
      cause: broken,
    });
  });

  it.each(failures)(
    "stops no sweep where it $failure: what lapsed vanishes once it is mended",
    async ({ tell }) => {
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      const { clock, store } = await failing(tell);
      sweep();
      expect(store.size).toBe(1);
      clock.mockImplementation(() => START_MS + HOUR_MS);
      sweep();
      expect(store.size).toBe(0);
      vi.useRealTimers();
    },
  );

  it("fails a call before anything is counted, or not at all: it is read once a call, also by a full store", async () => {
    const clock = vi.fn(() => START_MS);
    const store = memoryStore({ clock, maxKeys: 2 });
    const limits = ["one", "two", "three"].map((name) => tally({ name, limit: 2, window: HOUR_MS, store }));
    const limiter = compose(limits, { name: "all" });
    for (const key of ["a", "b", "c"]) await limiter.consume(key);
    expect(clock).toHaveBeenCalledTimes(3);
  });
});
