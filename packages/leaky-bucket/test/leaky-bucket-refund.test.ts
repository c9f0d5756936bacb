import type { Decision } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { queue } from "./queue.js";

describe("a refund of one per 200 ms, with one seat to wait", () => {
  it("gives the slot of one who waits to the next, who is held until 200 ms and not until 400", async () => {
    const { clock, limiter } = queue(1, 1, 200);
    await limiter.consume("host");
    const waiter = await limiter.consume("host");
    clock.advance(10);
    await limiter.refund(waiter);
    expect(await limiter.consume("host")).toMatchObject({ allowed: true, delayMs: 190 });
  });

  it("gives nothing back from the middle: the one behind has been promised 200 ms", async () => {
    const { clock, limiter } = queue(1, 1, 200);
    const holder = await limiter.consume("host");
    await limiter.consume("host");
    clock.advance(10);
    await limiter.refund(holder);
    expect(await limiter.consume("host")).toMatchObject({ allowed: false, retryAfterMs: 190 });
  });

  it("lets the next pass at once when the only one leaves", async () => {
    const { clock, limiter } = queue(1, 1, 200);
    const holder = await limiter.consume("host");
    clock.advance(10);
    await limiter.refund(holder);
    expect(await limiter.consume("host")).toMatchObject({ allowed: true, delayMs: 0 });
  });

  it("gives nothing back of a slot that has passed", async () => {
    const { clock, limiter } = queue(1, 1, 200);
    const passed = await limiter.consume("host");
    clock.advance(200);
    await limiter.consume("host");
    const before = await limiter.peek("host");
    await limiter.refund(passed);
    expect(await limiter.peek("host")).toEqual(before);
  });
});

describe("a refund", () => {
  it("of several slots gives back those that have not passed", async () => {
    const { clock, limiter } = queue(9, 4, "1s");
    await limiter.consume("host");
    const decision = await limiter.consume("host", { cost: 3 });
    clock.advance(100);
    await limiter.refund(decision);
    expect((await limiter.consume("host")).delayMs).toBe(150);
  });

  it("may follow another: whoever is the last by then can leave", async () => {
    const { limiter } = queue(9, 4, "1s");
    const decisions: Decision[] = [];
    for (let call = 0; call < 4; call++) decisions.push(await limiter.consume("host"));
    for (const decision of decisions.reverse()) {
      await limiter.refund(decision);
      expect((await limiter.peek("host")).delayMs).toBe(decision.delayMs);
    }
    expect(await limiter.peek("host")).toMatchObject({ remaining: 10, resetAfterMs: 0 });
  });

  it("never brings the work of two who stay closer together than the pace", async () => {
    const paceMs = 100;
    const steps = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ cost: fc.integer({ min: 1, max: 3 }) }) },
        { weight: 2, arbitrary: fc.record({ refunded: fc.nat({ max: 9 }) }) },
        { weight: 2, arbitrary: fc.record({ waitMs: fc.integer({ min: 1, max: 350 }) }) },
      ),
      { minLength: 5, maxLength: 40 },
    );
    const property = fc.asyncProperty(steps, async (some) => {
      const { clock, limiter } = queue(5, 1, paceMs);
      const staying: Decision[] = [];
      for (const step of some) {
        if ("waitMs" in step) {
          clock.advance(step.waitMs);
        } else if ("cost" in step) {
          const decision = await limiter.consume("host", step);
          if (decision.allowed) staying.push(decision);
        } else {
          const [leaving] = staying.splice(-1 - (step.refunded % Math.max(1, staying.length)), 1);
          if (leaving !== undefined) await limiter.refund(leaving);
        }
      }
      let freeMs = 0;
      for (const { decidedAtMs, delayMs, taken } of staying) {
        expect(decidedAtMs + delayMs).toBeGreaterThanOrEqual(freeMs);
        freeMs = decidedAtMs + delayMs + taken * paceMs;
      }
    });
    await fc.assert(property, { numRuns: 2_000 });
  });
});
