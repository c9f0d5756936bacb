import { setTimeout as sleep } from "node:timers/promises";
import { memoryStore, QueueFullError, WaitTimeoutError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { leakyBucket } from "../src/index.js";

const EVERY_MS = 200;

function queue(capacity: number, maxWaiters?: number) {
  const leak = { tokens: 1, every: EVERY_MS };
  return leakyBucket({ name: "crawl", leak, capacity, store: memoryStore(), maxWaiters });
}

/** When each was granted, in slots after the first. */
async function slotsOf(waits: readonly Promise<unknown>[]): Promise<number[]> {
  const startMs = performance.now();
  return Promise.all(waits.map((wait) => wait.then(() => (performance.now() - startMs) / EVERY_MS)));
}

/** Neither early nor a whole slot late. */
function expectSlots(slots: readonly number[], expected: readonly number[]): void {
  expect(slots.map((slot) => Math.floor(slot + 0.05))).toEqual(expected);
}

describe("whoever waits for a queue", () => {
  it("takes a slot and sleeps until then", async () => {
    const limiter = queue(3);
    const waits = [1, 2, 3, 4].map(() => limiter.acquire("a"));
    expectSlots(await slotsOf(waits), [0, 1, 2, 3]);
    expect(await waits[3]).toMatchObject({ delayMs: 0, taken: 1, allowed: true });
  });

  it("waits for a slot where the queue is full, and is served in the order of arrival", async () => {
    const limiter = queue(1);
    expectSlots(await slotsOf([1, 2, 3, 4].map(() => limiter.acquire("a"))), [0, 1, 2, 3]);
  });

  it("has the slot of one before it who has left: at 200 ms, not at 400", async () => {
    const limiter = queue(1);
    const controller = new AbortController();
    const holder = limiter.acquire("a");
    const first = limiter.acquire("a", { signal: controller.signal });
    const second = limiter.acquire("a");
    setTimeout(() => controller.abort("left"), 10);
    const slots = slotsOf([holder, second]);
    await expect(first).rejects.toBe("left");
    expectSlots(await slots, [0, 1]);
  });

  it("moves up with everyone behind, and the last slot is given back", async () => {
    const limiter = queue(5);
    const controller = new AbortController();
    const before = [1, 2].map(() => limiter.acquire("a"));
    const leaving = limiter.acquire("a", { signal: controller.signal });
    const behind = [1, 2].map(() => limiter.acquire("a"));
    const slots = slotsOf([...before, ...behind]);
    await sleep(10);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 1 });
    controller.abort("left");
    await expect(leaving).rejects.toBe("left");
    await sleep(10);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 2 });
    expectSlots(await slots, [0, 1, 2, 3]);
  });

  it("lets those behind who ask for something else keep their slots", async () => {
    const limiter = queue(6);
    const controller = new AbortController();
    const leaving = [0, 1].map(() => limiter.acquire("a", { signal: controller.signal }));
    const pair = limiter.acquire("a", { cost: 2 });
    const single = limiter.acquire("a");
    const slots = slotsOf([pair, single]);
    await sleep(10);
    controller.abort("left");
    await expect(leaving[1]).rejects.toBe("left");
    expectSlots(await slots, [2, 1]);
  });

  it("is not kept by what was known before a reset", async () => {
    const limiter = leakyBucket({
      name: "crawl",
      leak: { tokens: 1, every: "1h" },
      capacity: 1,
      store: memoryStore(),
    });
    const controller = new AbortController();
    const { signal } = controller;
    await limiter.acquire("a");
    const leaving = [limiter.acquire("a", { signal }), limiter.acquire("a", { signal })];
    await sleep(10);
    controller.abort("left");
    for (const wait of leaving) await expect(wait).rejects.toBe("left");
    await limiter.reset("a");
    expect(await limiter.acquire("a", { maxWaitMs: 1_000 })).toMatchObject({ allowed: true });
  });

  it("takes no slot that would be too late, so that those behind have it", async () => {
    const limiter = queue(9);
    await limiter.consume("a", { cost: 2 });
    const impatient = [1, 2, 3].map(() => limiter.acquire("a", { maxWaitMs: EVERY_MS / 2 }));
    const { delayMs } = await limiter.consume("a");
    for (const wait of impatient) await expect(wait).rejects.toThrow(WaitTimeoutError);
    expect(delayMs).toBeLessThanOrEqual(2 * EVERY_MS);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 7 });
  });

  it("gives the slot back where it is too late", async () => {
    const limiter = queue(5);
    await limiter.consume("a", { cost: 3 });
    await expect(limiter.acquire("a", { maxWaitMs: EVERY_MS })).rejects.toThrow(WaitTimeoutError);
    await sleep(10);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 3 });
  });

  it("is refused where as many sleep as may wait", async () => {
    const limiter = queue(5, 2);
    const waits = [1, 2, 3].map(() => limiter.acquire("a"));
    await expect(limiter.acquire("a")).rejects.toThrow(QueueFullError);
    await Promise.all(waits);
  });
});
