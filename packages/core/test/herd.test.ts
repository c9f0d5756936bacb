import { setTimeout as sleep } from "node:timers/promises";
import { memoryStore } from "@sluice/core";
import { describe, expect, it, vi } from "vitest";
import { compose } from "../src/compose.js";
import { WaitTimeoutError } from "../src/errors.js";
import { perProcess } from "../src/per-process.js";
import type { Store } from "../src/store.js";
import { failingStore, LOST } from "./failing-store.js";
import { useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const { connection } = await useRedis();

const WINDOW_MS = 150;

interface Shape {
  readonly store?: Store;
  readonly perUser?: number;
  readonly userWindow?: number | string;
  readonly overall: number;
  readonly window?: number | string;
}

/** A limit for each user, and one that all of them share. */
function shared({ store = memoryStore(), perUser = 100, userWindow = "1h", overall, window = "1h" }: Shape) {
  const user = tally({ name: "user", limit: perUser, window: userWindow, store });
  const all = tally({ name: "all", limit: overall, window, store });
  const both = compose([user, all]);
  const keys = (name: string) => ({ user: name, all: "all" });
  const asked = vi.spyOn(store, "decideAll");
  const acquire = (name: string, options = {}) => both.acquire(keys(name), options);
  const calls = (): number => asked.mock.calls.length;
  return { store, user, all, both, keys, acquire, calls };
}

function users(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `u${i}`);
}

async function inOrder(waits: readonly Promise<unknown>[]): Promise<number[]> {
  const order: number[] = [];
  await Promise.all(waits.map((wait, i) => wait.then(() => order.push(i))));
  return order;
}

interface Sizes {
  readonly byPlace: Map<string, unknown>;
  readonly byKey: Map<string, unknown>;
  readonly herds: Map<string, unknown>;
}

/** Lines, keys that they are for, and herds. */
function leftOf(store: Store): number[] {
  const linesOf = perProcess("waiting-lines", 1, () => new WeakMap<Store, Sizes>());
  const lines = linesOf.get(store);
  return lines === undefined ? [] : [lines.byPlace.size, lines.byKey.size, lines.herds.size];
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
}

describe.each(["memory", "Redis"])("lines that one key keeps waiting on %s", (kind) => {
  const make = (): Store => (kind === "memory" ? memoryStore() : failingStore(connection).store);

  it("ask about once a grant, in order of arrival", async () => {
    const { acquire, calls, store } = shared({ store: make(), overall: 20, window: WINDOW_MS });
    const order = await inOrder(users(90).map((name) => acquire(name)));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    // each when it arrives, then one call a grant, and a few at the end of each window
    expect(calls()).toBeLessThan(90 + 70 * 1.6);
    expect(leftOf(store)).toEqual([0, 0, 0]);
  });

  it("ask once a grant where there is room for one at a time", async () => {
    const { acquire, calls } = shared({ store: make(), overall: 1, window: 30 });
    await Promise.all(users(20).map((name) => acquire(name)));
    expect(calls()).toBeLessThanOrEqual(20 + 2 * 19);
  });

  it("are served without a storm when something is given back", async () => {
    const { all, acquire, calls, keys, both, store } = shared({ store: make(), overall: 100 });
    const held = await both.consume(keys("first"), { cost: { user: 1, all: 100 } });
    const controller = new AbortController();
    const { signal } = controller;
    let granted = 0;
    const waits = users(40).map((name) => acquire(name, { signal }).then(() => (granted += 1)));
    await vi.waitFor(() => expect(calls()).toBe(41));
    await all.settle(held.limits.all, 90);
    await vi.waitFor(() => expect(granted).toBe(10));
    for (let left = 89; left >= 80; left--) await all.settle(held.limits.all, left).catch(() => {});
    await sleep(20);
    expect(calls()).toBeLessThan(41 + 2 * 10 + 10);
    await all.reset("all");
    await Promise.all(waits);
    expect(granted).toBe(40);
    expect(leftOf(store)).toEqual([0, 0, 0]);
  });
});

describe("a line that waits with others", () => {
  it("asks about once a grant when each settles what it took", async () => {
    const { both, acquire, calls } = shared({ overall: 100 });
    const work = users(60).map(async (name) => {
      const decision = await acquire(name, { cost: { user: 1, all: 20 } });
      await sleep(1);
      await both.settle(decision, { user: 1, all: 1 });
    });
    await Promise.all(work);
    expect(calls()).toBeLessThan(60 + 2 * 60);
  });

  it("does not ask when it arrives behind them", async () => {
    const { acquire, calls } = shared({ overall: 1, window: WINDOW_MS });
    await acquire("a");
    const waits = [acquire("b")];
    await sleep(5);
    const before = calls();
    waits.push(acquire("c"));
    await sleep(5);
    expect(calls()).toBe(before);
    expect(await inOrder(waits)).toEqual([0, 1]);
  });

  it("goes to the end after a grant: those behind a user who asks for much are served in between", async () => {
    const { acquire } = shared({ overall: 1, window: 30 });
    await acquire("z");
    const waits = ["a", "a", "a", "b"].map((name) => acquire(name));
    expect(await inOrder(waits)).toEqual([0, 3, 1, 2]);
  });

  it("is not starved by others who ask for less", async () => {
    const { acquire } = shared({ overall: 4, window: WINDOW_MS });
    await acquire("z");
    const waits = [acquire("a", { cost: { user: 1, all: 4 } })];
    await sleep(5);
    waits.push(...users(4).map((name) => acquire(name)));
    expect(await inOrder(waits)).toEqual([0, 1, 2, 3, 4]);
  });

  it("does not wait for one behind it who asks for more", async () => {
    const { acquire, both, keys, all } = shared({ overall: 10, window: WINDOW_MS });
    await both.consume(keys("z"), { cost: { user: 1, all: 10 } });
    const waits = [1, 10].map((cost, i) =>
      acquire(`u${i}`, { cost: { user: 1, all: cost }, maxWaitMs: 400 }),
    );
    expect(await inOrder(waits)).toEqual([0, 1]);
    expect(await all.peek("all")).toMatchObject({ remaining: 0 });
  });

  it("that leaves does not strand the others", async () => {
    const { all, acquire, calls, store } = shared({ overall: 1 });
    await acquire("z");
    const controller = new AbortController();
    const { signal } = controller;
    const leaving = [acquire("a", { signal }), acquire("b", { signal })];
    const staying = acquire("c");
    await sleep(5);
    const before = calls();
    const reset = all.reset("all");
    // its turn has come
    await vi.waitFor(() => expect(calls()).toBe(before + 1));
    controller.abort("left");
    await reset;
    for (const wait of leaving) await wait.catch((reason) => expect(reason).toBe("left"));
    await all.reset("all");
    await staying;
    await vi.waitFor(() => expect(leftOf(store)).toEqual([0, 0, 0]));
  });

  it("that leaves while all sleep does not strand the others", async () => {
    const { acquire } = shared({ overall: 1, window: WINDOW_MS });
    await acquire("z");
    const controller = new AbortController();
    const leaving = acquire("a", { signal: controller.signal });
    const staying = [acquire("b", { cost: { user: 2, all: 1 } }), acquire("c")];
    await sleep(5);
    controller.abort("left");
    await expect(leaving).rejects.toBe("left");
    expect(await inOrder(staying)).toEqual([0, 1]);
  });

  it("is not held up by one whom its own limit denies for longer", async () => {
    const { acquire, user, store } = shared({ perUser: 1, overall: 2, window: WINDOW_MS });
    await acquire("a");
    await acquire("b");
    const own = acquire("a");
    const others = ["c", "d", "e"].map((name) => acquire(name));
    await Promise.all(others);
    expect(leftOf(store)).toEqual([1, 2, 1]);
    await user.reset("a");
    await own;
    expect(leftOf(store)).toEqual([0, 0, 0]);
  });

  it("moves on to the key that denies it next", async () => {
    const { acquire, store, calls } = shared({
      perUser: 1,
      userWindow: WINDOW_MS,
      overall: 2,
      window: WINDOW_MS * 3,
    });
    const waits = ["a", "a", "b", "b", "c", "c"].map((name) => acquire(name));
    await Promise.all(waits);
    expect(calls()).toBeLessThan(25);
    expect(leftOf(store)).toEqual([0, 0, 0]);
  });

  it("hears at once of a wait that is longer than maxWaitMs, and after it that others were before", async () => {
    const { acquire, calls } = shared({ overall: 1, window: WINDOW_MS });
    await acquire("z");
    const first = acquire("a");
    await sleep(5);
    const [before, startMs] = [calls(), performance.now()];
    await expect(acquire("b", { maxWaitMs: 20 })).rejects.toThrow(WaitTimeoutError);
    expect(performance.now() - startMs).toBeLessThan(20);
    expect(calls()).toBe(before);
    await expect(acquire("b", { maxWaitMs: WINDOW_MS * 1.5 })).rejects.toThrow(WaitTimeoutError);
    await first;
  });

  it("hears that the wait has become too long as soon as that is known", async () => {
    const { acquire } = shared({ overall: 1, window: 400 });
    await acquire("z");
    const first = acquire("a");
    const startMs = performance.now();
    await expect(acquire("b", { maxWaitMs: 700 })).rejects.toThrow(WaitTimeoutError);
    expect(performance.now() - startMs).toBeLessThan(690);
    await first;
  });

  it("hears that the store fails, as all others do", async () => {
    const { store, failWith } = failingStore(connection);
    const { acquire } = shared({ store, overall: 1, window: WINDOW_MS });
    await acquire("z");
    const waits = users(5).map((name) => acquire(name));
    await sleep(20);
    failWith(LOST);
    for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: "ERR_SLUICE_STORE" });
    expect(leftOf(store)).toEqual([0, 0, 0]);
  });

  it("is not overlooked when something is given back while the store is being asked", async () => {
    const store = memoryStore();
    const { decideAll } = store;
    // the store decides before a while or after it
    vi.spyOn(store, "decideAll").mockImplementation(async (...call) => {
      const isEarly = Math.random() < 0.5;
      if (!isEarly) await sleep(Math.random() * 5);
      const outcomes = await decideAll.apply(store, call);
      if (isEarly) await sleep(Math.random() * 5);
      return outcomes;
    });
    const { acquire, both } = shared({ store, perUser: 2, overall: 6 });
    const work = Array.from({ length: 80 }, async (_, i) => {
      const signal = i % 4 === 0 ? AbortSignal.timeout(5 * i) : undefined;
      const decision = await acquire(`u${i % 7}`, { cost: { user: 1 + (i % 2), all: 1 + (i % 4) }, signal });
      await sleep(i % 5);
      await both.refund(decision);
    });
    const ends = await Promise.allSettled(work);
    expect(ends.filter(({ status }, i) => status === "rejected" && i % 4 > 0)).toEqual([]);
    await vi.waitFor(() => expect(leftOf(store)).toEqual([0, 0, 0]));
  });

  it("leaves nothing behind, however it ends", async () => {
    const before = timers();
    const { acquire, store, both } = shared({ perUser: 3, userWindow: 90, overall: 5, window: 40 });
    const work = Array.from({ length: 200 }, async (_, i) => {
      await sleep(i % 30);
      const options = {
        cost: { user: 1 + (i % 2), all: 1 + (i % 3) },
        maxWaitMs: i % 5 === 0 ? 100 : undefined,
        signal: i % 7 === 0 ? AbortSignal.timeout(i) : undefined,
      };
      const decision = await acquire(`u${i % 40}`, options);
      if (i % 4 === 0) await both.refund(decision);
    });
    const ends = await Promise.allSettled(work);
    expect(ends.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(100);
    await vi.waitFor(() => expect(leftOf(store)).toEqual([0, 0, 0]));
    await vi.waitFor(() => expect(timers()).toBeLessThanOrEqual(before));
  });
});
