import { describe, expect, it } from "vitest";
import { at, fixed, HOUR_MS, MINUTE_MS } from "./fixed.js";

describe("a window that changes in flight", () => {
  it.each(["clock", "first"] as const)(
    "ends on its new schedule when it is shortened, anchor %s",
    async (anchor) => {
      const { clock, limiter } = fixed(10, "1h", anchor);
      clock.advance(20 * MINUTE_MS);
      await limiter.consume("key", { cost: 7 });
      const shortened = limiter.with({ window: "15m" });
      // the quarter of the clock that holds the last grant ends in 10 minutes, that of the key in 15
      const leftMs = (anchor === "clock" ? 10 : 15) * MINUTE_MS;
      expect(await shortened.peek("key")).toMatchObject({ remaining: 3, resetAfterMs: leftMs });
      clock.advance(leftMs);
      expect(await shortened.consume("key", { cost: 10 })).toMatchObject({ allowed: true });
    },
  );

  it.each(["clock", "first"] as const)(
    "is not forgotten early when it is lengthened, anchor %s",
    async (anchor) => {
      const { clock, limiter } = fixed(10, "1m", anchor);
      clock.advance(30_000);
      await limiter.consume("key", { cost: 7 });
      const lengthened = limiter.with({ window: "1h" });
      await lengthened.consume("key", { cost: 9 });
      clock.advance(59 * MINUTE_MS);
      expect((await lengthened.consume("key", { cost: 4 })).allowed).toBe(false);
      clock.advance(MINUTE_MS);
      expect((await lengthened.consume("key", { cost: 4 })).allowed).toBe(true);
    },
  );

  it("counts what was used where the last grant was, and gives all of it back from there", async () => {
    const { clock, limiter } = fixed(10, "1h");
    const first = await limiter.consume("key", { cost: 2 });
    clock.advance(40 * MINUTE_MS);
    const second = await limiter.consume("key", { cost: 3 });
    const shortened = limiter.with({ window: "30m" });
    expect((await shortened.peek("key")).remaining).toBe(5);
    await shortened.refund(first);
    expect((await shortened.peek("key")).remaining).toBe(7);
    await shortened.refund(second);
    expect(await shortened.peek("key")).toMatchObject({ remaining: 10, resetAfterMs: 0 });
  });

  it("gives nothing back of a grant whose window was over before it was lengthened to hold that one too", async () => {
    const { clock, limiter } = fixed(10, "30m");
    const forgotten = await limiter.consume("key", { cost: 2 });
    clock.advance(40 * MINUTE_MS);
    await limiter.consume("key", { cost: 3 });
    const lengthened = limiter.with({ window: "1h" });
    await lengthened.consume("key", { cost: 1 });
    await lengthened.refund(forgotten);
    expect((await lengthened.peek("key")).remaining).toBe(6);
  });

  it("counts what a settlement charged a denied call where it was charged", async () => {
    const { clock, limiter } = fixed(10, "1h");
    await limiter.consume("key", { cost: 2 });
    const denied = await limiter.consume("key", { cost: 9 });
    clock.advance(40 * MINUTE_MS);
    await limiter.settle(denied, 3);
    const shortened = limiter.with({ window: "30m" });
    expect(await shortened.peek("key")).toMatchObject({ remaining: 5, resetAfterMs: 20 * MINUTE_MS });
  });

  it("begins with the first grant of those that count when its anchor becomes first", async () => {
    const { clock, limiter } = fixed(10, "1h");
    clock.advance(20 * MINUTE_MS);
    await limiter.consume("key", { cost: 3 });
    clock.advance(30 * MINUTE_MS);
    await limiter.consume("key", { cost: 3 });
    const anchored = limiter.with({ anchor: "first" });
    expect(await anchored.peek("key")).toMatchObject({ remaining: 4, resetAfterMs: 30 * MINUTE_MS });
  });

  it("is the hour of the last grant when its anchor becomes the clock", async () => {
    const { clock, limiter } = fixed(10, "1h", "first");
    clock.advance(50 * MINUTE_MS);
    await limiter.consume("key", { cost: 3 });
    clock.advance(20 * MINUTE_MS);
    await limiter.consume("key", { cost: 3 });
    const anchored = limiter.with({ anchor: "clock" });
    expect(await anchored.peek("key")).toMatchObject({ remaining: 4, resetAfterMs: 50 * MINUTE_MS });
  });
});

describe("a clock that steps back", () => {
  it("keeps the window of the last grant, until its time has come again", async () => {
    const { clock, limiter } = fixed(3, "1m");
    await limiter.consume("key", { cost: 3 });
    clock.advance(-30_000);
    expect(await limiter.consume("key")).toMatchObject({ allowed: false, retryAfterMs: 90_000 });
  });

  it("takes what was granted for granted now, if it lies more than a window ahead", async () => {
    const { clock, limiter } = fixed(3, "1m");
    await limiter.consume("key", { cost: 3 });
    clock.advance(-HOUR_MS);
    expect(await limiter.consume("key")).toMatchObject({ allowed: false, retryAfterMs: MINUTE_MS });
  });

  it("does not let a refund of a window that was over free a unit of another", async () => {
    const { clock, limiter } = fixed(3, "1m");
    const over = await limiter.consume("key", { cost: 2 });
    clock.advance(2 * MINUTE_MS);
    await limiter.consume("key", { cost: 3 });
    clock.set(at("09:00:00"));
    await limiter.consume("key");
    await limiter.refund(over);
    expect((await limiter.consume("key")).allowed).toBe(false);
  });
});
