import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryStore } from "@sluice/core";
import { describe, expect, it, vi } from "vitest";
import { compose } from "../src/compose.js";
import {
  InvalidCostError,
  InvalidKeyError,
  NeverAllowedError,
  QueueFullError,
  StoreError,
  WaitTimeoutError,
} from "../src/errors.js";
import type { Store } from "../src/store.js";
import { failingStore, LOST } from "./failing-store.js";
import { useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const { connection } = await useRedis();

/** Windows of so many milliseconds, each with room for two. */
const WINDOW_MS = 150;
function bucket(store: Store = memoryStore(), limit = 2, maxWaiters?: number) {
  return tally({ name: "api", limit, window: WINDOW_MS, store, maxWaiters });
}

/** How often the store is asked to decide. */
function counting(store: Store = memoryStore()) {
  return { store, asked: vi.spyOn(store, "decide") };
}

async function inOrder(waits: readonly Promise<unknown>[]): Promise<number[]> {
  const order: number[] = [];
  await Promise.all(waits.map((wait, i) => wait.then(() => order.push(i))));
  return order;
}

describe.each(["memory", "Redis"])("whoever waits for a limit on %s", (kind) => {
  const make = (): Store => (kind === "memory" ? memoryStore() : failingStore(connection).store);

  it("is granted at once where there is room", async () => {
    const decision = await bucket(make()).acquire("a", { cost: 2 });
    expect(decision).toMatchObject({ allowed: true, taken: 2, delayMs: 0, remaining: 0, source: "store" });
  });

  it("is granted when the limit allows it, and no sooner", async () => {
    const limiter = bucket(make());
    const { decidedAtMs, retryAfterMs } = await limiter
      .consume("a", { cost: 2 })
      .then(() => limiter.peek("a"));
    const granted = await limiter.acquire("a");
    expect(granted.decidedAtMs).toBeGreaterThanOrEqual(decidedAtMs + retryAfterMs);
    expect(granted.remaining).toBe(1);
  });

  it("is served in the order of arrival, with one call a grant and one to begin with", async () => {
    const { store, asked } = counting(make());
    const limiter = bucket(store);
    const waits = Array.from({ length: 9 }, () => limiter.acquire("a"));
    expect(await inOrder(waits)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(asked.mock.calls.length).toBeLessThanOrEqual(10);
  });

  it("is not starved by others who ask for less", async () => {
    const limiter = bucket(make(), 4);
    await limiter.consume("a");
    const waits = [4, 1, 1, 1, 1].map((cost) => limiter.acquire("a", { cost }));
    expect((await inOrder(waits))[0]).toBe(0);
  });

  it("waits for its own key only", async () => {
    const limiter = bucket(make());
    await limiter.consume("a", { cost: 2 });
    const waiting = limiter.acquire("a");
    expect(await limiter.acquire("b")).toMatchObject({ allowed: true });
    await waiting;
  });
});

describe("whoever waits", () => {
  it("hears at once of a wait that is longer than maxWaitMs", async () => {
    const limiter = bucket();
    await limiter.consume("a", { cost: 2 });
    const startMs = performance.now();
    await expect(limiter.acquire("a", { maxWaitMs: 20 })).rejects.toThrow(WaitTimeoutError);
    expect(performance.now() - startMs).toBeLessThan(20);
    const first = limiter.acquire("a");
    await expect(limiter.acquire("a", { maxWaitMs: 20 })).rejects.toThrow(
      /^limiter "api": waiting would take \d+ ms or more, and maxWaitMs is 20$/,
    );
    await first;
  });

  it("hears after maxWaitMs that others are still before it", async () => {
    const limiter = bucket(memoryStore(), 1);
    const waits = [limiter.acquire("a"), limiter.acquire("a")];
    await Promise.resolve();
    const impatient = limiter.acquire("a", { maxWaitMs: WINDOW_MS * 1.5 });
    await expect(impatient).rejects.toMatchObject({ code: "ERR_SLUICE_WAIT_TIMEOUT" });
    await Promise.all(waits);
  });

  it("may wait for no time at all, and is granted what there is", async () => {
    const limiter = bucket();
    expect(await limiter.acquire("a", { maxWaitMs: 0, cost: 2 })).toMatchObject({ taken: 2 });
    await expect(limiter.acquire("a", { maxWaitMs: 0 })).rejects.toThrow(WaitTimeoutError);
  });

  it("hears at once that it can never be granted", async () => {
    const limiter = bucket();
    await limiter.consume("a", { cost: 2 });
    await expect(limiter.acquire("a", { cost: 3 })).rejects.toThrow(NeverAllowedError);
    await expect(limiter.acquire("a", { cost: 1, reserve: 2 })).rejects.toMatchObject({
      code: "ERR_SLUICE_NEVER_ALLOWED",
    });
  });

  it("is refused where as many wait as may", async () => {
    const limiter = bucket(memoryStore(), 2, 2);
    await limiter.consume("a", { cost: 2 });
    const waits = [1, 2, 3].map(() => limiter.acquire("a"));
    await expect(waits[2]).rejects.toThrow(
      'limiter "api": 2 already wait for this key in this process, which is maxWaiters',
    );
    await Promise.all(waits.slice(0, 2));
    await expect(limiter.acquire("b")).resolves.toBeDefined();
  });

  it("is not refused where there is room for all at once", async () => {
    const limiter = bucket(memoryStore(), 50, 2);
    const granted = await Promise.all(Array.from({ length: 50 }, () => limiter.acquire("a")));
    expect(granted.at(-1)).toMatchObject({ remaining: 0 });
  });

  it.each([{ maxWaitMs: -1 }, { maxWaitMs: Number.NaN }, { maxWaitMs: "5s" }, { maxWait: 5 }, { cost: 0.5 }])(
    "is refused with %j",
    async (options) => {
      // @ts-expect-error a caller without types
      await expect(bucket().acquire("a", options)).rejects.toThrow(InvalidCostError);
    },
  );

  it("is refused with a wrong key", async () => {
    await expect(bucket().acquire("")).rejects.toThrow(InvalidKeyError);
  });

  it("is served once something was given back, if that is sooner", async () => {
    const limiter = tally({ name: "api", limit: 2, window: "1h", store: memoryStore() });
    const held = await limiter.consume("a", { cost: 2 });
    const waiting = limiter.acquire("a");
    await sleep(10);
    await limiter.refund(held);
    expect(await waiting).toMatchObject({ allowed: true });
    const again = limiter.acquire("a", { cost: 2 });
    await sleep(10);
    await limiter.reset("a");
    expect(await again).toMatchObject({ taken: 2 });
  });

  it("is served at once though something was given back while another one was being granted", async () => {
    const store = memoryStore();
    const limiter = tally({ name: "api", limit: 2, window: "1h", store });
    const held = await limiter.consume("a");
    const { decide } = store;
    // the store decides at once, and its answer takes a while
    vi.spyOn(store, "decide").mockImplementationOnce((...call) => {
      const outcome = decide.apply(store, call);
      return new Promise((resolve) => setTimeout(() => resolve(outcome), 50));
    });
    const waits = [1, 2].map(() => limiter.acquire("a", { signal: AbortSignal.timeout(2_000) }));
    await limiter.refund(held);
    expect(await Promise.all(waits)).toMatchObject([{ allowed: true }, { allowed: true }]);
  });

  it.each(["reset", "refund"] as const)("is not kept by what was known before a %s", async (call) => {
    const limiter = tally({ name: "api", limit: 10, window: "1h", store: memoryStore() });
    const held = await limiter.consume("a", { cost: 10 });
    const controller = new AbortController();
    const leaving = limiter.acquire("a", { cost: 8, signal: controller.signal });
    const waits = [1, 8].map((cost) => limiter.acquire("a", { cost }));
    await sleep(5);
    const back = call === "reset" ? limiter.reset("a") : limiter.refund(held);
    controller.abort("left");
    await back;
    await expect(leaving).rejects.toBe("left");
    expect(await Promise.all(waits)).toMatchObject([{ taken: 1 }, { taken: 8 }]);
  });

  it("is granted by its own plan, whatever another one was granted just before", async () => {
    const free = tally({ name: "api", limit: 1, window: "1h", store: memoryStore() });
    const waits = [free.acquire("a"), free.with({ limit: 10 }).acquire("a")];
    expect(await Promise.all(waits)).toMatchObject([{ remaining: 0 }, { remaining: 8 }]);
  });

  it("is heard of in its own async context", async () => {
    const context = new AsyncLocalStorage<string>();
    const heard: (string | undefined)[] = [];
    const observe = () => void heard.push(context.getStore());
    const limiter = tally({ name: "api", limit: 1, window: WINDOW_MS, store: memoryStore(), observe });
    const waits = ["first", "second"].map((name) => context.run(name, () => limiter.acquire("a")));
    await Promise.all(waits);
    expect(heard[0]).toBe("first");
    expect(heard.slice(1).every((name) => name === "second")).toBe(true);
  });

  it("waits in one line with those of another plan", async () => {
    const limiter = bucket(memoryStore(), 1);
    await limiter.consume("a");
    const waits = [limiter.acquire("a"), limiter.with({ window: WINDOW_MS + 1 }).acquire("a")];
    expect(await inOrder(waits)).toEqual([0, 1]);
  });
});

describe("a signal", () => {
  it("rejects with its own reason, also when it was aborted before", async () => {
    const limiter = bucket();
    await expect(limiter.acquire("a", { signal: AbortSignal.abort("gone") })).rejects.toBe("gone");
    await limiter.consume("a", { cost: 2 });
    const controller = new AbortController();
    const waiting = limiter.acquire("a", { signal: controller.signal });
    setTimeout(() => controller.abort("left"), 10);
    await expect(waiting).rejects.toBe("left");
    expect(await limiter.peek("b")).toMatchObject({ remaining: 2 });
  });

  it("lets the next one move up", async () => {
    const limiter = bucket(memoryStore(), 3);
    await limiter.consume("a", { cost: 2 });
    const controller = new AbortController();
    const first = limiter.acquire("a", { cost: 3, signal: controller.signal });
    const second = limiter.acquire("a");
    await sleep(10);
    controller.abort("left");
    await expect(first).rejects.toBe("left");
    const { decidedAtMs } = await second;
    expect((await limiter.peek("a")).decidedAtMs - decidedAtMs).toBeLessThan(WINDOW_MS);
  });

  it("leaves no listener behind", async () => {
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    const limiter = bucket();
    await Promise.all([1, 2, 3].map(() => limiter.acquire("a", { signal })));
    await limiter.consume("a");
    await expect(limiter.acquire("a", { signal, maxWaitMs: 0 })).rejects.toThrow(WaitTimeoutError);
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
  });

  it("is listened to once, however many wait for it", async () => {
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, "addEventListener");
    const limiter = tally({ name: "api", limit: 1, window: "1h", store: memoryStore() });
    await limiter.consume("a");
    const waits = Array.from({ length: 50 }, () => limiter.acquire("a", { signal: controller.signal }));
    await sleep(5);
    expect(added).toHaveBeenCalledOnce();
    controller.abort("left");
    for (const wait of waits) await expect(wait).rejects.toBe("left");
  });

  it("that races a grant either wins or the grant is given back: 1,000 races", async () => {
    const limiter = tally({ name: "api", limit: 2_000, window: "1h", store: failingStore(connection).store });
    let granted = 0;
    let aborted = 0;
    for (let race = 0; race < 1_000; race++) {
      const controller = new AbortController();
      const waiting = limiter.acquire("a", { signal: controller.signal });
      for (let turn = 0; turn < race % 8; turn++) await new Promise(setImmediate);
      controller.abort("left");
      await waiting.then(
        () => (granted += 1),
        (reason) => (aborted += reason === "left" ? 1 : 0),
      );
    }
    expect(granted + aborted).toBe(1_000);
    await vi.waitFor(async () => expect((await limiter.peek("a")).remaining).toBe(2_000 - granted));
    expect(Math.min(granted, aborted)).toBeGreaterThan(0);
  });
});

describe("while the store fails, whoever waits", () => {
  it("hears of it, and the next one is asked for", async () => {
    const { store, failWith } = failingStore(connection);
    const limiter = bucket(store);
    failWith(LOST);
    const waits = [limiter.acquire("a"), limiter.acquire("a")];
    for (const wait of waits) await expect(wait).rejects.toThrow(StoreError);
    failWith(undefined);
    expect(await limiter.acquire("a")).toMatchObject({ allowed: true });
  });

  it("is let in, waits for it to come back, or goes to a fallback, by the policy", async () => {
    const { store, failWith } = failingStore(connection, { breaker: { failures: 1, cooldownMs: 60 } });
    const common = { name: "api", limit: 2, window: "1h", store };
    const local = tally({ name: "local", limit: 1, window: "1h", store: memoryStore() });
    failWith(LOST);
    const allow = tally({ ...common, onStoreFailure: "allow" });
    expect(await allow.acquire("a")).toMatchObject({ allowed: true, source: "failure-policy" });
    const fallback = tally({ ...common, onStoreFailure: local });
    expect(await fallback.acquire("a")).toMatchObject({ name: "local", source: "fallback" });
    const held = await fallback.acquire("b");
    const next = fallback.acquire("b");
    await sleep(5);
    await fallback.refund(held);
    expect(await next).toMatchObject({ name: "local" });
    const patient = tally({ ...common, onStoreFailure: "deny" }).acquire("a");
    await expect(tally({ ...common, onStoreFailure: "deny" }).acquire("b", { maxWaitMs: 1 })).rejects.toThrow(
      WaitTimeoutError,
    );
    await sleep(30);
    failWith(undefined);
    expect(await patient).toMatchObject({ allowed: true, source: "store" });
  });
});

describe("whoever waits for several limits", () => {
  it("is granted when all allow it, in the order of arrival", async () => {
    const store = memoryStore();
    const one = tally({ name: "one", limit: 2, window: WINDOW_MS, store });
    const two = tally({ name: "two", limit: 3, window: WINDOW_MS * 2, store });
    const both = compose([one, two]);
    const waits = Array.from({ length: 6 }, () => both.acquire({ one: "a", two: "b" }));
    expect(await inOrder(waits)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await waits[0]).toMatchObject({ limits: { one: { taken: 1 }, two: { taken: 1 } } });
  });

  it("hears what a single waiter would hear", async () => {
    const store = memoryStore();
    const one = tally({ name: "one", limit: 1, window: "1h", store, maxWaiters: 1 });
    const both = compose([one, tally({ name: "two", limit: 5, window: "1h", store })]);
    await both.consume("a");
    await expect(both.acquire("a", { maxWaitMs: 5 })).rejects.toThrow(
      /^composite "one\+two": waiting would take/,
    );
    await expect(both.acquire("a", { cost: { one: 2, two: 1 } })).rejects.toThrow(NeverAllowedError);
    const controller = new AbortController();
    const first = both.acquire("a", { signal: controller.signal });
    await expect(both.acquire("a")).rejects.toThrow(QueueFullError);
    controller.abort("left");
    await expect(first).rejects.toBe("left");
    await expect(both.acquire("a", { signal: AbortSignal.abort("gone") })).rejects.toBe("gone");
  });
});
