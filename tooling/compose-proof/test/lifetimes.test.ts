import { compose, memoryStore, redisStore, type Store } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { fixedWindow } from "@sluice/fixed-window";
import { tokenBucket } from "@sluice/token-bucket";
import { describe, expect, it } from "vitest";
import { useRedis } from "./server.ts";

const { redis, connection } = await useRedis();

/** Under a policy that was short: five of ten used. Under the new one they count for longer. */
function limitsOn(store: Store) {
  const short = fixedWindow({ name: "window", limit: 10, window: "10s", anchor: "first", store });
  const long = short.with({ window: "1h" });
  const closed = tokenBucket({ name: "closed", capacity: 0, refill: { tokens: 1, every: "1s" }, store });
  return { short, long, limits: compose([long, closed]) };
}

describe("a call under a longer policy, that another limit denies,", () => {
  it("lets memory forget nothing that counts for longer now", async () => {
    const clock = manualClock(1_735_689_637_123);
    const { short, long, limits } = limitsOn(memoryStore({ clock }));
    await short.consume("a", { cost: 5 });
    expect(await limits.consume("a")).toMatchObject({ allowed: false, name: "closed" });
    clock.advance(10_000);
    expect(await long.peek("a")).toMatchObject({ remaining: 5 });
  });

  it("lets Redis forget nothing that counts for longer now", async () => {
    const { short, limits } = limitsOn(redisStore(connection));
    await short.consume("a", { cost: 5 });
    expect(await limits.consume("a")).toMatchObject({ allowed: false, name: "closed" });
    const keys = await redis.command("KEYS", "*");
    expect(keys).toHaveLength(1);
    expect(Number(await redis.command("PTTL", String(keys)))).toBeGreaterThan(3_000_000);
  });
});
