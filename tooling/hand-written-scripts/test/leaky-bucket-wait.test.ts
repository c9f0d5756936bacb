import { manualClock } from "@sluice/core/testing";
import { leakyBucket } from "@sluice/leaky-bucket";
import { expect, it } from "vitest";
import { inTurn } from "../src/granted.ts";
import { openWorkbench } from "../src/workbench.ts";

const { send, run, store } = await openWorkbench();

it("all waiters are told the same, and come back together; each of ours has a slot", async () => {
  const clock = manualClock(1_000_000);
  const leak = { tokens: 4, every: "1s" };
  const limiter = leakyBucket({ name: "calls", leak, capacity: 9, store: store(clock) });
  const decisions = await inTurn(10, () => limiter.consume("user"));

  const told: number[] = [];
  let waiting = 10;
  let asked = 0;
  while (waiting > 0) {
    const waits = await inTurn(waiting, () => run("leaky-bucket-wait", "bucket", 250, clock()));
    asked += waiting;
    waiting = waits.filter((waitMs) => waitMs !== 0).length;
    told.push(...new Set(waits.map(Number)));
    clock.advance(250);
  }

  expect(told.slice(0, 2)).toEqual([0, 250]);
  expect(asked).toBe(55);
  expect(decisions.map(({ delayMs }) => delayMs)).toEqual([
    0, 250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000, 2_250,
  ]);
});

it("a wait in seconds loses its fraction on the way out of the server", async () => {
  expect(await send("EVAL", "return 0.75", "0")).toBe(0);
});
