import { describe, expect, it, vi } from "vitest";
import { startRedis } from "../src/start-redis.ts";
import { startReplica } from "../src/start-replica.ts";

describe("startReplica", () => {
  it.each([{}, { password: "pass word" }])("follows its primary and refuses writes: %j", async (options) => {
    await using primary = await startRedis(options);
    await primary.command("SET", "before", "1");
    await using replica = await startReplica(primary);
    expect(await replica.command("GET", "before")).toBe("1");
    await primary.command("SET", "after", "2");
    await vi.waitFor(async () => expect(await replica.command("GET", "after")).toBe("2"), 5_000);
    await expect(replica.command("SET", "own", "3")).rejects.toThrow("READONLY");
  });
});
