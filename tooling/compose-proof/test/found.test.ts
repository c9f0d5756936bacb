/** What random traces have found, each as its shortest trace. */
import { compose } from "@sluice/core";
import { slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";
import { describe, expect, it } from "vitest";
import { useStores } from "./stores.ts";

const kinds = await useStores();
const BLOCK_MS = 60_000;

describe.each(kinds)("on $kind", ({ make }) => {
  function setUp() {
    const { store, clock } = make();
    const open = tokenBucket({ name: "open", capacity: 9, refill: { tokens: 1, every: "1h" }, store });
    const guarded = slidingWindowLog({
      name: "guarded",
      limit: 5,
      window: "1h",
      blockFor: BLOCK_MS,
      store,
    });
    return { clock, open, guarded, limits: compose([open, guarded]) };
  }

  it("a blocked limit denies for all, though it has room", async () => {
    const { open, guarded, limits } = setUp();
    await guarded.block("a", BLOCK_MS);
    expect(await limits.consume("a")).toMatchObject({ allowed: false, name: "guarded", reason: "blocked" });
    expect(await open.peek("a")).toMatchObject({ remaining: 9, resetAfterMs: 0 });
  });

  it("a block that was set when the clock was ahead is dated anew by a call, also among other limits", async () => {
    const { clock, guarded, limits } = setUp();
    await guarded.block("a", BLOCK_MS);
    clock.advance(-1_000);
    expect(await limits.consume("a")).toMatchObject({ retryAfterMs: BLOCK_MS });
    clock.advance(1_000);
    expect(await limits.peek("a")).toMatchObject({ retryAfterMs: BLOCK_MS - 1_000 });
  });

  it("a settlement delays nothing where no limit is a queue, though the clock has stepped back", async () => {
    const { clock, limits } = setUp();
    const decision = await limits.consume("a");
    clock.advance(-3);
    const settled = await limits.settle(decision, 2);
    expect([settled, settled.limits.open, settled.limits.guarded].map(({ delayMs }) => delayMs)).toEqual([
      0, 0, 0,
    ]);
  });
});
