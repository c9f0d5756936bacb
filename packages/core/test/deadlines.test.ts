import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Countdown } from "../src/deadline.js";
import { Deadlines } from "../src/deadlines.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Deadlines of 1000 ms, and the names of those that have passed. */
function setUp() {
  const deadlines = new Deadlines(1_000);
  const passed: string[] = [];
  const start = (name: string): Countdown => {
    const countdown = new Countdown(() => passed.push(name));
    deadlines.start(countdown);
    return countdown;
  };
  return { deadlines, passed, start };
}

it("each passes when its time is up and no earlier, unless it was met", async () => {
  const { deadlines, passed, start } = setUp();
  start("a");
  await vi.advanceTimersByTimeAsync(400);
  const met = start("b");
  start("c");
  await vi.advanceTimersByTimeAsync(599);
  expect(passed).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  expect(passed).toEqual(["a"]);
  deadlines.meet(met);
  await vi.advanceTimersByTimeAsync(398);
  expect(passed).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(2);
  expect(passed).toEqual(["a", "c"]);
  expect(met.isPast).toBe(false);
});

it("one that begins while the time of the others is up passes in its own", async () => {
  const { passed, start } = setUp();
  start("a");
  await vi.advanceTimersByTimeAsync(0);
  setTimeout(() => start("b"), 1_000);
  // in one turn of the event loop
  vi.advanceTimersByTime(1_001);
  await vi.advanceTimersByTimeAsync(0);
  expect(passed).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(passed).toEqual(["a", "b"]);
});

it("all of them have one timer, which is gone when they are", async () => {
  const { deadlines, passed, start } = setUp();
  for (let i = 0; i < 100; i++) {
    const met = start("met");
    await vi.advanceTimersByTimeAsync(5);
    deadlines.meet(met);
  }
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(vi.getTimerCount()).toBe(0);
  expect(passed).toEqual([]);
  start("later");
  await vi.advanceTimersByTimeAsync(1_001);
  expect(passed).toEqual(["later"]);
});

it("keep the process alive while somebody waits, and no longer", async () => {
  vi.useRealTimers();
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const { deadlines, start } = setUp();
  const first = start("a");
  await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(timers()).toBe(before + 1);
  deadlines.meet(first);
  expect(timers()).toBe(before);
  const second = start("b");
  expect(timers()).toBe(before + 1);
  deadlines.meet(second);
  expect(timers()).toBe(before);
});

it("pass though a timer was set on a clock that has been taken away", async () => {
  const { deadlines, passed, start } = setUp();
  deadlines.meet(start("a"));
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();
  vi.useFakeTimers({ now: 10_000_000 });
  await vi.advanceTimersByTimeAsync(5_000);
  start("b");
  await vi.advanceTimersByTimeAsync(1_001);
  expect(passed).toEqual(["b"]);
});

it("pass in the async context of no caller", async () => {
  const storage = new AsyncLocalStorage<string>();
  const deadlines = new Deadlines(1_000);
  const contexts: (string | undefined)[] = [];
  storage.run("ada's request", () => {
    deadlines.start(new Countdown(() => contexts.push(storage.getStore())));
  });
  await vi.advanceTimersByTimeAsync(1_001);
  expect(contexts).toEqual([undefined]);
});
