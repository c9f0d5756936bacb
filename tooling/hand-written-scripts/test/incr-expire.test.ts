import { setTimeout as sleep } from "node:timers/promises";
import { fixedWindow } from "@sluice/fixed-window";
import { expect, it } from "vitest";
import { granted, inTurn } from "../src/granted.ts";
import { openWorkbench } from "../src/workbench.ts";

const { redis, send, run, store } = await openWorkbench();

it("a lost expiry shuts a user out for good; ours is mended by the next call", async () => {
  const limiter = fixedWindow({ name: "calls", limit: 3, window: "100ms", store: store() });
  // the application counted, and was gone before it could set the expiry
  await send("INCR", "count");
  await limiter.consume("user");
  expect(await redis.command("PERSIST", "sluice:calls:fixed.1:{user}")).toBe(1);

  const ask = async () => {
    await sleep(110);
    return [await run("incr-expire", "count", 3, 100), await limiter.consume("user")];
  };
  const replies = await inTurn(10, ask);

  expect(granted(replies.map(([theirs]) => theirs))).toBe(2);
  expect(granted(replies.map(([, ours]) => ours))).toBe(10);
  expect(await redis.command("PTTL", "count")).toBe(-1);
  expect(await redis.command("PTTL", "sluice:calls:fixed.1:{user}")).not.toBe(-1);
});

it("an expiry that each call sets anew never comes; asking prolongs nothing of ours", async () => {
  const limiter = fixedWindow({ name: "calls", limit: 1, window: "1200ms", store: store() });
  const ask = async () => {
    await sleep(50);
    return [await run("incr-expire-always", "count", 1, 1_200), await limiter.consume("user")];
  };
  const replies = await inTurn(55, ask);

  expect(granted(replies.map(([theirs]) => theirs))).toBe(1);
  // that takes longer than two windows, and so holds the ends of two
  expect(granted(replies.map(([, ours]) => ours))).toBeGreaterThanOrEqual(3);
});
