import { leakyBucketMeter } from "@sluice/leaky-bucket";
import { expect, it } from "vitest";
import { atOnce, granted } from "../src/granted.ts";
import { openWorkbench } from "../src/workbench.ts";

const { run, store } = await openWorkbench();

it("whoever reads before others have filled goes ahead as well; ours decides and charges in one step", async () => {
  const limiter = leakyBucketMeter({
    name: "calls",
    capacity: 5,
    leak: { tokens: 5, every: "1m" },
    store: store(),
  });
  const nowMs = Date.now();
  const theirs = await atOnce(20, async (index) => {
    const level = await run("zset-bucket-read", "bucket", 60_000, nowMs);
    if (Number(level) >= 5) return 0;
    await run("zset-bucket-fill", "bucket", 60_000, nowMs, `call ${index}`);
    return 1;
  });

  expect(granted(theirs)).toBe(20);
  expect(granted(await atOnce(20, () => limiter.consume("user")))).toBe(5);
});
