import { compose, memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { fixedWindow } from "@sluice/fixed-window";
import { tokenBucket } from "@sluice/token-bucket";
import fc from "fast-check";
import { expect, it } from "vitest";
import { rateLimitHeaders } from "../src/index.js";

const traffic = fc.record({
  everyMs: fc.integer({ min: 1, max: 100_000 }),
  windowMs: fc.integer({ min: 1, max: 100_000 }),
  gapsMs: fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 20 }),
  cost: fc.integer({ min: 1, max: 4 }),
});

it("whoever waits for as long as Retry-After says passes, if nobody else was first", async () => {
  await fc.assert(
    fc.asyncProperty(traffic, async ({ everyMs, windowMs, gapsMs, cost }) => {
      const clock = manualClock(1_700_000_000_123);
      const store = memoryStore({ clock });
      const bucket = tokenBucket({ name: "a", capacity: 4, refill: { tokens: 3, every: everyMs }, store });
      const both = compose([bucket, fixedWindow({ name: "b", limit: 4, window: windowMs, store })]);
      for (const gapMs of gapsMs) {
        clock.advance(gapMs);
        const decision = await both.consume("key", { cost });
        if (decision.allowed) continue;
        clock.advance(Number(rateLimitHeaders(decision).get("retry-after")) * 1_000);
        expect((await both.consume("key", { cost })).allowed).toBe(true);
      }
    }),
  );
});
