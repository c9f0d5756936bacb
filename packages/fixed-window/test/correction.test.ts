import { describe, expect, it } from "vitest";
import { fixed, MINUTE_MS } from "./fixed.js";

describe.each(["clock", "first"] as const)("a correction, anchor %s", (anchor) => {
  it("gives back what was taken while its window lasts", async () => {
    const { clock, limiter } = fixed(10, "1m", anchor);
    const decision = await limiter.consume("key", { cost: 4 });
    await limiter.consume("key", { cost: 3 });
    clock.advance(59_999);
    await limiter.refund(decision);
    expect((await limiter.peek("key")).remaining).toBe(7);
  });

  it("gives nothing back once its window is over, and charges nothing", async () => {
    const { clock, limiter } = fixed(10, "1m", anchor);
    const [refunded, settled] = [
      await limiter.consume("key", { cost: 4 }),
      await limiter.consume("key", { cost: 1 }),
    ];
    clock.advance(MINUTE_MS);
    await limiter.consume("key", { cost: 5 });
    await limiter.refund(refunded);
    expect(await limiter.settle(settled, 3)).toMatchObject({ taken: 3, remaining: 5 });
    expect((await limiter.peek("key")).remaining).toBe(5);
  });

  it("does not begin a window", async () => {
    const { clock, limiter } = fixed(10, "1m", anchor);
    const decision = await limiter.consume("key");
    clock.advance(MINUTE_MS);
    await limiter.settle(decision, 5);
    expect(await limiter.peek("key")).toMatchObject({ remaining: 10, resetAfterMs: 0 });
  });

  it("charges for a denied call, and begins a window where there is none", async () => {
    const { clock, limiter } = fixed(10, "1m", anchor);
    const denied = await limiter.consume("key", { cost: 11 });
    clock.advance(MINUTE_MS);
    expect(await limiter.settle(denied, 11)).toMatchObject({ remaining: 0, resetAfterMs: MINUTE_MS });
  });

  it("by a receipt that was spent leaves the window where it is", async () => {
    const { clock, limiter } = fixed(10, "1m", anchor);
    const decision = await limiter.consume("key", { cost: 4 });
    const settled = await limiter.settle(decision, 3);
    clock.advance(45_000);
    await limiter.settle(decision, 9);
    // the last grant was 45 seconds ago, in the first of two half minutes
    const halved = limiter.with({ window: "30s" });
    expect((await halved.peek("key")).remaining).toBe(10);
    await limiter.refund(settled);
    expect((await limiter.peek("key")).remaining).toBe(10);
  });

  it("gives nothing back of a grant from before a reset", async () => {
    const { clock, limiter } = fixed(10, "1m", anchor);
    const decision = await limiter.consume("key", { cost: 4 });
    await limiter.reset("key");
    clock.advance(1);
    await limiter.consume("key", { cost: 5 });
    await limiter.refund(decision);
    expect((await limiter.peek("key")).remaining).toBe(5);
  });
});
