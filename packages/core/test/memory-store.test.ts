import { fileURLToPath } from "node:url";
import { runAlone } from "@sluice/run-alone";
import { describe, expect, it, vi } from "vitest";
import { InvalidPolicyError, StoreError } from "../src/errors.js";
import { type MemoryStore, memoryStore } from "../src/memory-store.js";
import { manualClock } from "../src/testing.js";
import { limitOf } from "./limit-of.js";
import { tally } from "./tiny-algorithm.js";

const PROGRAMS = fileURLToPath(new URL("programs.ts", import.meta.url));

/** A key for each number. */
const keys = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}:${i}`);

describe("the options of a memory store", () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "100", null])(
    "refuse %o keys",
    (maxKeys) => {
      // @ts-expect-error a caller without types
      expect(() => memoryStore({ maxKeys })).toThrow(InvalidPolicyError);
    },
  );

  it.each([5, "now", {}, null, new Date(0)])("refuse %o for a clock", (clock) => {
    // @ts-expect-error a caller without types
    expect(() => memoryStore({ clock })).toThrow(InvalidPolicyError);
  });

  it("are refused with a message that says what would be right", () => {
    expect(() => memoryStore({ maxKeys: 0 })).toThrow(
      "memory store: maxKeys must be a whole number from 1, got 0",
    );
  });

  it.each([{ maxkeys: 5 }, { maxKeys: 5, prefix: "shop" }])(
    "refuse what the store does not know: %j",
    (options) => {
      expect(() => memoryStore(options)).toThrow(InvalidPolicyError);
    },
  );

  it.each([null, 5, "100", [100]])("refuse %j for all of them", (options) => {
    // @ts-expect-error a caller without types
    expect(() => memoryStore(options)).toThrow("memory store: options must be { maxKeys, clock }, got");
  });

  it("hold a million keys where none are said", () => {
    const store = memoryStore();
    const limit = limitOf("api");
    const ask = { commit: true, cost: 1, least: 1, reserve: 0 };
    for (let user = 0; user < 1_000_010; user++) void store.decide(limit, `user:${user}`, ask);
    expect(store.size).toBe(1_000_000);
  });

  it("may be left out, each and all", () => {
    expect(memoryStore().size).toBe(0);
    expect(memoryStore({ maxKeys: undefined, clock: undefined }).size).toBe(0);
  });
});

describe("a memory store", () => {
  it("counts the keys that it holds, of all its limits", async () => {
    const store = memoryStore();
    const [one, other] = ["one", "other"].map((name) => tally({ name, limit: 5, window: "1m", store }));
    for (const key of ["a", "b", "a"]) await one?.consume(key);
    await other?.consume("a");
    expect(store.size).toBe(3);
  });

  it("holds nothing for a limit that is unused", async () => {
    const store = memoryStore();
    const limiter = tally({ name: "api", limit: 5, window: "1m", store });
    await limiter.peek("a");
    await limiter.consume("a", { cost: 0 });
    await limiter.consume("a", { cost: 6 });
    await limiter.refund(await limiter.consume("a"));
    await limiter.consume("b");
    await limiter.reset("b");
    expect(store.size).toBe(0);
  });

  it("fares well", () => {
    expect(memoryStore().health()).toMatchObject({ state: "closed", failuresInARow: 0 });
  });

  it("finds a key unused once it has lapsed, though no sweep has run", async () => {
    const clock = manualClock(0);
    const limiter = tally({ name: "api", limit: 1, window: 1_000, store: memoryStore({ clock }) });
    await limiter.consume("a");
    clock.advance(1_000);
    expect(await limiter.peek("a")).toMatchObject({
      allowed: true,
      remaining: 1,
      retryAfterMs: 0,
      resetAfterMs: 0,
    });
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
  });

  it("forgets no key early whose window was lengthened, from the first call under the new policy on", async () => {
    const clock = manualClock(0);
    const short = tally({ name: "api", limit: 1, window: 1_000, store: memoryStore({ clock }) });
    const long = short.with({ window: 10_000 });
    await short.consume("a");
    clock.set(500);
    expect(await long.consume("a")).toMatchObject({ allowed: false, retryAfterMs: 9_500 });
    clock.set(9_999);
    expect(await long.consume("a")).toMatchObject({ allowed: false, retryAfterMs: 1 });
  });

  it("reads its clock in whole milliseconds", async () => {
    const limiter = tally({
      name: "api",
      limit: 1,
      window: 1_000,
      store: memoryStore({ clock: () => 1_234.9 }),
    });
    expect(await limiter.consume("a")).toMatchObject({ decidedAtMs: 1_234 });
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
    "counts nothing while its clock tells %d",
    async (nowMs) => {
      const limiter = tally({
        name: "api",
        limit: 1,
        window: 1_000,
        store: memoryStore({ clock: () => nowMs }),
      });
      const failed = limiter.consume("a");
      await expect(failed).rejects.toThrow(StoreError);
      await expect(failed).rejects.toMatchObject({ mayHaveCounted: false });
    },
  );
});

describe("an expired key is gone within 10 s without a further call", () => {
  const GONE = { timeout: 10_000, interval: 50 };

  it.concurrent("by a clock that is passed", async ({ expect }) => {
    const clock = manualClock(0);
    const store = memoryStore({ clock });
    await tally({ name: "api", limit: 5, window: "1h", store }).consume("a");
    clock.advance(3_600_000);
    expect(store.size).toBe(1);
    await expect.poll(() => store.size, GONE).toBe(0);
  });

  it.concurrent("by the store's own clock", async ({ expect }) => {
    const store = memoryStore();
    await tally({ name: "api", limit: 5, window: 50, store }).consume("a");
    expect(store.size).toBe(1);
    await expect.poll(() => store.size, GONE).toBe(0);
  });

  it.concurrent("and so are fifty thousand at once, among others that have not", async ({ expect }) => {
    const clock = manualClock(0);
    const store = memoryStore({ clock });
    const brief = tally({ name: "brief", limit: 5, window: 1_000, store });
    const lasting = tally({ name: "lasting", limit: 5, window: "1h", store });
    for (const key of keys("user", 50_000)) await brief.consume(key);
    for (const key of keys("user", 100)) await lasting.consume(key);
    clock.advance(1_000);
    await expect.poll(() => store.size, GONE).toBe(100);
    expect(await lasting.peek("user:0")).toMatchObject({ remaining: 4 });
  });
});

describe("a full memory store", () => {
  function filled(maxKeys: number) {
    const clock = manualClock(0);
    const store: MemoryStore = memoryStore({ maxKeys, clock });
    return { clock, store, limiter: tally({ name: "api", limit: 10, window: "1h", store }) };
  }

  it.each([1, 2, 100])("never holds more than its %i keys", async (maxKeys) => {
    const { store, limiter } = filled(maxKeys);
    for (const key of keys("user", 3 * maxKeys)) {
      expect(await limiter.consume(key)).toMatchObject({ allowed: true, remaining: 9 });
      expect(store.size).toBeLessThanOrEqual(maxKeys);
    }
    expect(store.size).toBe(maxKeys);
  });

  it("goes on counting the keys that it holds", async () => {
    const { limiter } = filled(1);
    for (const remaining of [9, 8, 7]) expect(await limiter.consume("a")).toMatchObject({ remaining });
  });

  it("forgets expired keys first", async () => {
    const { clock, store, limiter } = filled(100);
    for (const key of keys("early", 50)) await limiter.consume(key, { cost: 10 });
    clock.advance(1_800_000);
    const late = keys("late", 50);
    for (const key of late) await limiter.consume(key);
    clock.advance(1_800_000);
    for (const key of keys("new", 50)) await limiter.consume(key);
    expect(store.size).toBe(100);
    for (const key of late) expect(await limiter.peek(key)).toMatchObject({ remaining: 9 });
  });

  it("then forgets those that have used the smallest share of their limit, not the fewest units", async () => {
    const { store, limiter } = filled(1_000);
    const vast = tally({ name: "vast", limit: 1_000_000, window: "1h", store });
    const halfUsed = keys("half", 50);
    for (const key of halfUsed) await limiter.consume(key, { cost: 5 });
    for (const key of keys("user", 10_000)) await vast.consume(key, { cost: 100 });
    for (const key of halfUsed) expect(await limiter.peek(key)).toMatchObject({ remaining: 5 });
  });

  it("holds debt longest of all", async () => {
    const { limiter } = filled(100);
    await limiter.settle(await limiter.consume("debtor"), 1_000);
    for (const key of keys("flood", 1_000)) await limiter.consume(key, { cost: 9 });
    expect(await limiter.consume("debtor")).toMatchObject({ allowed: false });
  });

  it("holds debt under a limit of 0 as long, and forgets others all the same", async () => {
    const { store, limiter } = filled(100);
    const closed = tally({ name: "closed", limit: 0, window: "1h", store });
    await closed.settle(await closed.consume("debtor"), 5);
    for (const key of keys("flood", 1_000)) await limiter.consume(key, { cost: 9 });
    expect(store.size).toBe(100);
    expect(await closed.peek("debtor")).toMatchObject({ resetAfterMs: 3_600_000 });
  });
});

describe("the timers of a memory store", () => {
  it("keep no process alive", async () => {
    const { code, stdout, stderr } = await runAlone(PROGRAMS, "consume once");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(Number(stdout)).toBeLessThan(1_000);
  });

  // rate-limiter-flexible#71, #231; a timer of 2^31 ms fires at once, over and over: express-rate-limit#550
  it("neither spin nor make Node warn under windows of weeks and years, where a second call is denied", async () => {
    const { code, stdout, stderr } = await runAlone(PROGRAMS, "consume twice under long windows");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(Number(stdout)).toBeLessThan(1_000);
  });

  it.each(["1m", "30d", "365d"])("are set for seconds under a window of %s", async (window) => {
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    await tally({ name: "api", limit: 1, window, store: memoryStore() }).consume("a");
    expect(setTimer).toHaveBeenCalledOnce();
    expect(setTimer.mock.calls[0]?.[1]).toBeLessThanOrEqual(10_000);
    setTimer.mockRestore();
  });

  it("make no difference where a window ends after weeks", async () => {
    const clock = manualClock(0);
    const limiter = tally({ name: "api", limit: 1, window: "30d", store: memoryStore({ clock }) });
    await limiter.consume("a");
    clock.advance(50);
    expect(await limiter.consume("a")).toMatchObject({ allowed: false, retryAfterMs: 30 * 86_400_000 - 50 });
    clock.advance(30 * 86_400_000 - 50);
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
  });
});
