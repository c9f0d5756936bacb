import { describe, expect, it } from "vitest";
import { at, fixed, HOUR_MS, MINUTE_MS } from "./fixed.js";

describe("3 a minute, by the clock", () => {
  it("lets two pass at 10:01:59 and two more at 10:02:01: they are in two minutes", async () => {
    const { clock, limiter } = fixed(3, "1m");
    const allowed: boolean[] = [];
    for (const time of ["10:01:59", "10:01:59", "10:02:01", "10:02:01"]) {
      clock.set(at(time));
      allowed.push((await limiter.consume("user:42")).allowed);
    }
    expect(allowed).toEqual([true, true, true, true]);
  });

  it("counts anew at the full minute, for whom it began just before it too", async () => {
    const { clock, limiter } = fixed(3, "1m");
    clock.set(at("10:01:59.999"));
    expect(await limiter.consume("user:42", { cost: 3 })).toMatchObject({ remaining: 0, resetAfterMs: 1 });
    expect(await limiter.consume("user:42")).toMatchObject({ allowed: false, retryAfterMs: 1 });
    clock.set(at("10:02:00"));
    expect(await limiter.consume("user:42")).toMatchObject({
      allowed: true,
      remaining: 2,
      resetAfterMs: MINUTE_MS,
    });
  });

  it("denies the fourth of a minute until the minute is over", async () => {
    const { clock, limiter } = fixed(3, "1m");
    clock.set(at("10:01:15"));
    await limiter.consume("user:42", { cost: 3 });
    clock.set(at("10:01:40"));
    expect(await limiter.consume("user:42")).toMatchObject({ allowed: false, retryAfterMs: 20_000 });
  });

  it("has its days begin at midnight in Greenwich", async () => {
    const { limiter } = fixed(3, "1d");
    expect((await limiter.consume("user:42")).resetAfterMs).toBe(14 * HOUR_MS);
  });
});

describe("3 a minute, from the first grant on", () => {
  it("begins with a key's first grant and ends a minute later, whatever the clock shows", async () => {
    const { clock, limiter } = fixed(3, "1m", "first");
    clock.set(at("10:01:59"));
    expect(await limiter.consume("user:42", { cost: 2 })).toMatchObject({ resetAfterMs: MINUTE_MS });
    clock.set(at("10:02:01"));
    expect(await limiter.consume("user:42")).toMatchObject({ allowed: true, resetAfterMs: 58_000 });
    expect(await limiter.consume("user:42")).toMatchObject({ allowed: false, retryAfterMs: 58_000 });
    clock.set(at("10:02:58.999"));
    expect((await limiter.consume("user:42")).allowed).toBe(false);
    clock.set(at("10:02:59"));
    expect(await limiter.consume("user:42")).toMatchObject({ allowed: true, remaining: 2 });
  });

  it("begins the next one with the next grant, not where the last one ended", async () => {
    const { clock, limiter } = fixed(3, "1m", "first");
    await limiter.consume("user:42");
    clock.set(at("10:05:30"));
    expect((await limiter.peek("user:42")).resetAfterMs).toBe(0);
    expect((await limiter.consume("user:42")).resetAfterMs).toBe(MINUTE_MS);
  });

  it("begins with a grant: neither with a look, nor with a denial, nor with a call for nothing", async () => {
    const { clock, limiter } = fixed(3, "1m", "first");
    await limiter.peek("user:42");
    await limiter.consume("user:42", { cost: 4 });
    await limiter.consume("user:42", { cost: 0 });
    clock.advance(30_000);
    expect((await limiter.consume("user:42")).resetAfterMs).toBe(MINUTE_MS);
  });

  it("gives every key a window of its own", async () => {
    const { clock, limiter } = fixed(3, "1m", "first");
    await limiter.consume("early");
    clock.advance(45_000);
    expect((await limiter.consume("late")).resetAfterMs).toBe(MINUTE_MS);
    expect((await limiter.peek("early")).resetAfterMs).toBe(15_000);
  });
});

describe.each(["clock", "first"] as const)("ten a minute, anchor %s", (anchor) => {
  it("leaves nine after the first", async () => {
    // laravel#10600
    const { limiter } = fixed(10, "1m", anchor);
    expect(await limiter.consume("key")).toMatchObject({ allowed: true, remaining: 9, taken: 1 });
  });

  it("allows the tenth, with nothing remaining and its reset ahead", async () => {
    // symfony#63491
    const { clock, limiter } = fixed(10, "1m", anchor);
    await limiter.consume("key", { cost: 9 });
    clock.advance(59_999);
    const tenth = await limiter.consume("key");
    expect(tenth).toMatchObject({ allowed: true, remaining: 0, resetAfterMs: 1 });
    expect(await limiter.consume("key")).toMatchObject({ allowed: false, retryAfterMs: 1 });
  });

  it("owes what a settlement took beyond the limit until the window ends, and not into the next", async () => {
    const { clock, limiter } = fixed(10, "1m", anchor);
    await limiter.settle(await limiter.consume("key"), 1_000);
    expect(await limiter.consume("key")).toMatchObject({
      allowed: false,
      remaining: 0,
      retryAfterMs: MINUTE_MS,
    });
    clock.advance(MINUTE_MS);
    expect((await limiter.consume("key")).remaining).toBe(9);
  });

  it("is kept for as long as a century", async () => {
    const { clock, limiter } = fixed(10, "36500d", anchor);
    await limiter.consume("key", { cost: 10 });
    const { retryAfterMs } = await limiter.consume("key");
    clock.advance(retryAfterMs - 1);
    expect((await limiter.consume("key")).allowed).toBe(false);
    clock.advance(1);
    expect((await limiter.consume("key")).allowed).toBe(true);
  });
});
