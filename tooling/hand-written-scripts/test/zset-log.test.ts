import { manualClock } from "@sluice/core/testing";
import { slidingWindowLog } from "@sluice/sliding-window";
import { expect, it } from "vitest";
import { granted, inTurn } from "../src/granted.ts";
import { openWorkbench } from "../src/workbench.ts";

const { redis, run, store } = await openWorkbench();

it("a hundred calls in one millisecond are one member; ours counts a hundred", async () => {
  const clock = manualClock(1_000_000);
  const limiter = slidingWindowLog({ name: "calls", limit: 5, window: "1s", store: store(clock) });

  expect(granted(await inTurn(100, () => run("zset-log", "log", 5, 1_000, clock())))).toBe(100);
  expect(await redis.command("ZCARD", "log")).toBe(1);
  expect(granted(await inTurn(100, () => limiter.consume("user")))).toBe(5);
});

it("who is denied and asks on is never let in again; a denial of ours is not recorded", async () => {
  const clock = manualClock(1_000_000);
  const limiter = slidingWindowLog({ name: "calls", limit: 5, window: "1s", store: store(clock) });
  const replies = await inTurn(100, async () => {
    clock.advance(100);
    return [await run("zset-log", "log", 5, 1_000, clock()), await limiter.consume("user")];
  });

  expect(granted(replies.map(([theirs]) => theirs))).toBe(5);
  expect(granted(replies.map(([, ours]) => ours))).toBe(50);
});

it("a server whose clock is a window ahead removes what others have used; ours has the clock of Redis", async () => {
  const limiter = slidingWindowLog({ name: "calls", limit: 5, window: "1m", store: store() });
  const rightMs = Date.now();
  const aheadMs = rightMs + 60_000;
  const theirs = [
    ...(await inTurn(5, (index) => run("zset-log", "log", 5, 60_000, rightMs + index))),
    ...(await inTurn(5, (index) => run("zset-log", "log", 5, 60_000, aheadMs + 5 + index))),
  ];

  expect(granted(theirs)).toBe(10);
  expect(granted(await inTurn(10, () => limiter.consume("user")))).toBe(5);
});

it("a thousand grants take six times the memory of ours", async () => {
  const clock = manualClock(1_700_000_000_000);
  const limiter = slidingWindowLog({ name: "b", limit: 1_000, window: "1h", store: store(clock) });
  await inTurn(1_000, async () => {
    clock.advance(1);
    await run("zset-log", "b", 1_000, 3_600_000, clock());
    await limiter.consume("user:042");
  });

  const theirs = Number(await redis.command("MEMORY", "USAGE", "b", "SAMPLES", "0"));
  const ours = Number(await redis.command("MEMORY", "USAGE", "sluice:b:log.1:{user:042}"));
  expect(ours).toBeLessThanOrEqual(16_000);
  expect(theirs / ours).toBeGreaterThan(6);
});
