import { tokenBucket } from "@sluice/token-bucket";
import { expect, it } from "vitest";
import { granted, inTurn } from "../src/granted.ts";
import { openWorkbench } from "../src/workbench.ts";

const { run, store } = await openWorkbench();
const nowMs = Date.now();
const refill = { tokens: 5, every: "1h" };

const take = () => run("hash-with-its-limits", "bucket", nowMs);
const create = (capacity: number) =>
  run("hash-with-its-limits-create", "bucket", capacity, 5, 3_600_000, nowMs);
const passes = (replies: readonly unknown[]) => replies.filter((left) => Number(left) > 0).length;

it("a missing key is neither a yes nor a no; to us it is an unused limit", async () => {
  const limiter = tokenBucket({ name: "calls", capacity: 5, refill, store: store() });

  expect(new Set(await inTurn(100, take))).toEqual(new Set([-1]));
  expect(granted(await inTurn(100, () => limiter.consume("user")))).toBe(5);
});

it("two processes that miss the key both make it, and the second forgets what the first let pass", async () => {
  const limiter = tokenBucket({ name: "calls", capacity: 5, refill, store: store() });

  expect(await Promise.all([take(), take()])).toEqual([-1, -1]);
  await create(5);
  const first = await inTurn(5, take);
  await create(5);
  const second = await inTurn(5, take);

  expect(passes([...first, ...second])).toBe(10);
  expect(granted(await inTurn(10, () => limiter.consume("user")))).toBe(5);
});

it("a larger plan begins with a full bucket; ours gives what it adds", async () => {
  const limiter = tokenBucket({ name: "calls", capacity: 5, refill, store: store() });
  await create(5);
  expect(passes(await inTurn(6, take))).toBe(5);
  expect(granted(await inTurn(6, () => limiter.consume("user")))).toBe(5);

  await create(10);
  const larger = limiter.with({ capacity: 10 });
  expect(passes(await inTurn(20, take))).toBe(10);
  expect(granted(await inTurn(20, () => larger.consume("user")))).toBe(5);
});
