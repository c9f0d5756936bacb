import { existsSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { startSentinel } from "../src/start-sentinel.ts";

describe("startSentinel", () => {
  it("replaces a primary that was killed", async () => {
    await using group = await startSentinel({ password: "pass word" });
    const [primary, replica] = group.servers;
    expect(await group.primary()).toBe(primary);
    await primary?.command("SET", "k", "1");
    await primary?.command("WAIT", "1", "5000");
    expect(await group.failOver()).toBe(replica);
    expect(primary?.ended()).toBe(true);
    expect(await group.primary()).toBe(replica);
    expect(await replica?.command("GET", "k")).toBe("1");
    expect(await replica?.command("SET", "k", "2")).toBe("OK");
  });

  it("hands over to a replica and back", { timeout: 90_000 }, async () => {
    await using group = await startSentinel();
    const [first, second] = group.servers;
    expect(await group.handOver()).toBe(second);
    expect(await group.primary()).toBe(second);
    await second?.command("SET", "k", "1");
    await vi.waitFor(async () => expect(await first?.command("GET", "k")).toBe("1"), 5_000);
    await expect(first?.command("SET", "k", "2")).rejects.toThrow("READONLY");
    expect(await group.handOver()).toBe(first);
    expect(await first?.command("GET", "k")).toBe("1");
  });

  it("tells clients where its sentinels are", async () => {
    await using group = await startSentinel({ sentinels: 2, replicas: 2 });
    expect(group.servers).toHaveLength(3);
    expect(group.sentinels).toEqual(group.sentinelServers.map(({ port }) => ({ host: "127.0.0.1", port })));
    const words = group.sentinelServers.map((sentinel) =>
      sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", group.name),
    );
    const primary = ["127.0.0.1", String(group.servers[0]?.port)];
    expect(await Promise.all(words)).toEqual([primary, primary]);
  });

  it("leaves no process and no folder", async () => {
    const group = await startSentinel({ sentinels: 2 });
    await group.stop();
    const all = [...group.servers, ...group.sentinelServers];
    expect(all.filter((server) => !server.ended() || existsSync(server.folder))).toEqual([]);
  });
});
