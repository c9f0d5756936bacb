import { afterEach, describe, expect, it, vi } from "vitest";
import { membersOf } from "../src/members.js";
import { MemoryBlocks } from "../src/memory-blocks.js";
import { memoryStore } from "../src/memory-store.js";
import { manualClock } from "../src/testing.js";
import { tally } from "./tiny-algorithm.js";

afterEach(() => {
  vi.useRealTimers();
});

/** A limiter that blocks for a minute, on a store of its own. */
function blockingLimiter(maxKeys = 100) {
  const clock = manualClock(0);
  const store = memoryStore({ clock, maxKeys });
  const limiter = tally({ name: "api", limit: 1, window: 1_000, blockFor: "1m", store });
  return { clock, store, limiter };
}

/** A key of a limiter that blocks, with one call too many. */
async function exceed(limiter: ReturnType<typeof blockingLimiter>["limiter"], key: string): Promise<void> {
  await limiter.consume(key);
  await limiter.consume(key);
}

describe("blocks in memory", () => {
  const [member] = membersOf(blockingLimiter().limiter) ?? [];

  it("are found until they end", () => {
    if (member === undefined) throw new Error("a limiter has a limit");
    const blocks = new MemoryBlocks();
    blocks.set(member.limit, "ada", { untilMs: 1_000, spanMs: 600 });
    expect(blocks.find(member.limit, "ada", 999)).toEqual({ untilMs: 1_000, spanMs: 600 });
    expect(blocks.find(member.limit, "ada", 1_000)).toBeUndefined();
    expect(blocks.find(member.limit, "bob", 0)).toBeUndefined();
  });

  it("last no longer than their span where the clock was set back", () => {
    if (member === undefined) throw new Error("a limiter has a limit");
    const blocks = new MemoryBlocks();
    blocks.set(member.limit, "ada", { untilMs: 1_000, spanMs: 600 });
    expect(blocks.find(member.limit, "ada", 399)).toEqual({ untilMs: 999, spanMs: 600 });
  });

  it("count as keys, and are gone within 10 s of their end without a further call", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { clock, store, limiter } = blockingLimiter();
    await exceed(limiter, "ada");
    await limiter.block("bob", "1h");
    expect(store.size).toBe(3);
    clock.set(60_000);
    vi.advanceTimersByTime(10_000);
    expect(store.size).toBe(1);
    clock.set(3_600_000);
    vi.advanceTimersByTime(10_000);
    expect(store.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are gone as soon where there is no other key", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { clock, store, limiter } = blockingLimiter();
    await limiter.block("bob", "1h");
    clock.set(3_600_000);
    vi.advanceTimersByTime(10_000);
    expect(store.size).toBe(0);
  });

  it("are bounded with the keys, however many there are", async () => {
    const { store, limiter } = blockingLimiter(10);
    for (let user = 0; user < 50; user++) {
      await exceed(limiter, `user:${user}`);
      expect(store.size).toBeLessThanOrEqual(10);
    }
    for (let user = 0; user < 50; user++) {
      await limiter.block(`user:${user}`, "1h");
      expect(store.size).toBeLessThanOrEqual(10);
    }
  });

  it("stay when the store is full, while it can forget less", async () => {
    const { limiter, store } = blockingLimiter(10);
    const other = tally({ name: "other", limit: 10, window: 3_600_000, store });
    await exceed(limiter, "guesser");
    for (let user = 0; user < 100; user++) await other.consume(`user:${user}`);
    expect(await limiter.consume("guesser")).toMatchObject({ reason: "blocked" });
  });

  it("go like keys that are used up when the store is full of them", async () => {
    const { limiter, store } = blockingLimiter(200);
    const other = tally({ name: "other", limit: 1, window: 3_600_000, store });
    await other.consume("known");
    for (let user = 0; user < 150; user++) await exceed(limiter, `user:${user}`);
    const keptBefore = store.size;
    for (let user = 0; user < 20; user++) await other.consume(`late:${user}`);
    expect(store.size).toBe(keptBefore);
    const left = await Promise.all(
      Array.from({ length: 20 }, async (_, user) => (await other.peek(`late:${user}`)).remaining),
    );
    // most of 20 among 200, though each of them came when the store was full
    expect(left.filter((remaining) => remaining === 0).length).toBeGreaterThan(10);
  });

  it("cost no key its state when one is set anew", async () => {
    const { store, limiter } = blockingLimiter(2);
    await limiter.block("ada", "1h");
    await limiter.consume("bob");
    await limiter.block("ada", "2h");
    expect(store.size).toBe(2);
    expect(await limiter.peek("bob")).toMatchObject({ remaining: 0 });
  });

  it("are none of another limit, though it has the same keys", async () => {
    const { store, limiter } = blockingLimiter();
    const other = tally({ name: "other", limit: 1, window: 1_000, blockFor: "1m", store });
    await exceed(limiter, "ada");
    expect(await other.consume("ada")).toMatchObject({ allowed: true });
    await other.unblock("ada");
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked" });
  });
});
