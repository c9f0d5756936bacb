import { manualClock } from "@sluice/core/testing";
import { tokenBucket } from "@sluice/token-bucket";
import { expect, it } from "vitest";
import { granted, inTurn } from "../src/granted.ts";
import { openWorkbench } from "../src/workbench.ts";

const { redis, run, store } = await openWorkbench();

it("a clock that steps back and forth mints a token a step; none of ours", async () => {
  const clock = manualClock(1_000_000);
  const refill = { tokens: 1, every: "1s" };
  const limiter = tokenBucket({ name: "calls", capacity: 1, refill, store: store(clock) });
  const replies = await inTurn(20, async (index) => {
    clock.set(1_000_000 - (index % 2) * 1_000);
    return [await run("hash-bucket", "bucket", 1, 0.001, clock()), await limiter.consume("user")];
  });

  expect(granted(replies.map(([theirs]) => theirs))).toBe(10);
  expect(granted(replies.map(([, ours]) => ours))).toBe(1);
});

it("a clock of whole seconds gives a second's tokens for a millisecond", async () => {
  const clock = manualClock(1_000_999);
  const refill = { tokens: 10, every: "1s" };
  const limiter = tokenBucket({ name: "calls", capacity: 10, refill, store: store(clock) });
  const replies = await inTurn(20, async (index) => {
    clock.set(index < 10 ? 1_000_999 : 1_001_000);
    const wholeSeconds = Math.floor(clock() / 1_000) * 1_000;
    return [await run("hash-bucket", "bucket", 10, 0.01, wholeSeconds), await limiter.consume("user")];
  });

  expect(granted(replies.map(([theirs]) => theirs))).toBe(20);
  expect(granted(replies.map(([, ours]) => ours))).toBe(10);
});

it("ten tenths are less than one: who asks often gets less; ours counts in whole numbers", async () => {
  const clock = manualClock(1_000_000);
  const refill = { tokens: 10, every: "13s" };
  const limiter = tokenBucket({ name: "calls", capacity: 1, refill, store: store(clock) });
  // ten tokens every 13 s are one each 1300 ms: 100 in 130 s, and the one that was there
  const replies = await inTurn(1_001, async (index) => {
    clock.set(1_000_000 + index * 130);
    return [await run("hash-bucket", "bucket", 1, 10 / 13_000, clock()), await limiter.consume("user")];
  });

  expect(granted(replies.map(([theirs]) => theirs))).toBe(91);
  expect(granted(replies.map(([, ours]) => ours))).toBe(101);
});

it("where parts of a token are dropped, who asks often gets none at all", async () => {
  const clock = manualClock(1_000_000);
  const refill = { tokens: 1, every: "1s" };
  const limiter = tokenBucket({ name: "calls", capacity: 1, refill, store: store(clock) });
  const replies = await inTurn(101, async (index) => {
    clock.set(1_000_000 + index * 900);
    return [await run("hash-bucket-whole", "bucket", 1, 1_000, clock()), await limiter.consume("user")];
  });

  expect(granted(replies.map(([theirs]) => theirs))).toBe(1);
  expect(granted(replies.map(([, ours]) => ours))).toBe(51);
});

it("a hash without an expiry stays for ever", async () => {
  const refill = { tokens: 1, every: "1s" };
  const limiter = tokenBucket({ name: "calls", capacity: 1, refill, store: store() });
  await run("hash-bucket", "bucket", 1, 0.001, Date.now());
  await limiter.consume("user");

  expect(await redis.command("PTTL", "bucket")).toBe(-1);
  const ttlMs = Number(await redis.command("PTTL", "sluice:calls:bucket.1:{user}"));
  expect(ttlMs).toBeGreaterThan(1_000);
  expect(ttlMs).toBeLessThanOrEqual(3_000);
});
