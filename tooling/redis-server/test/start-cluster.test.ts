import { existsSync } from "node:fs";
import { afterAll, describe, expect, it, vi } from "vitest";
import { startCluster } from "../src/start-cluster.ts";

const cluster = await startCluster({ replicas: 1 });
afterAll(() => cluster.stop());
const primaries = cluster.nodes.slice(0, 3);

describe("startCluster", () => {
  it("knows the slot of a key as the servers do", async () => {
    const [node] = cluster.nodes;
    const keys = ["a", "{user:1}:x", "{}a", "a{}b", "{{a}}", "}{a", "{a", "ä😀", "", "a\r\n\0"];
    const slots = keys.map((key) => node?.command("CLUSTER", "KEYSLOT", key));
    expect(keys.map(cluster.slotOf)).toEqual(await Promise.all(slots));
  });

  it("shares the slots out, and copies every primary to a replica of its own", async () => {
    expect(await cluster.primaryOf(0)).toBe(primaries[0]);
    expect(await cluster.primaryOf(16_383)).toBe(primaries[2]);
    expect(await Promise.all(primaries.map(cluster.replicasOf))).toEqual(
      cluster.nodes.slice(3).map((node) => [node]),
    );
    const primary = await cluster.primaryOf("copied");
    const [replica] = await cluster.replicasOf(primary);
    await primary.command("SET", "copied", "1");
    const keys = () => replica?.command("CLUSTER", "GETKEYSINSLOT", String(cluster.slotOf("copied")), "1");
    await vi.waitFor(async () => expect(await keys()).toEqual(["copied"]), 5_000);
  });

  it("moves a slot: its node sends clients on to the new one, which then has it", async () => {
    const slot = cluster.slotOf("{moved}");
    const from = await cluster.primaryOf(slot);
    const to = primaries.find((node) => node !== from) ?? from;
    for (let i = 0; i < 150; i += 1) await from.command("SET", `{moved}${i}`, "1");
    await cluster.startMovingSlot(slot, to);
    expect(await from.command("GET", "{moved}0")).toBe("1");
    await expect(from.command("GET", "{moved}new")).rejects.toThrow(`ASK ${slot} 127.0.0.1:${to.port}`);
    expect(await cluster.primaryOf(slot)).toBe(from);
    await cluster.finishMovingSlot(slot);
    expect(await cluster.primaryOf(slot)).toBe(to);
    expect(await to.command("CLUSTER", "COUNTKEYSINSLOT", String(slot))).toBe(150);
    expect(await to.command("GET", "{moved}0")).toBe("1");
    for (const node of cluster.nodes.filter((node) => node !== to)) {
      await expect(node.command("GET", "{moved}0")).rejects.toThrow(`MOVED ${slot} 127.0.0.1:${to.port}`);
    }
  });

  it("refuses to finish a move that was not started", async () => {
    await expect(cluster.finishMovingSlot(1)).rejects.toThrow("slot 1 is not being moved");
  });

  it("replaces a primary that was killed, and finishes the move of one of its slots", async () => {
    const slot = cluster.slotOf("{lost}");
    const primary = await cluster.primaryOf(slot);
    const [replica] = await cluster.replicasOf(primary);
    const to = primaries.find((node) => node !== primary) ?? primary;
    await primary.command("SET", "{lost}", "1");
    await cluster.startMovingSlot(slot, to);
    await primary.command("WAIT", "1", "5000");
    await primary.kill();
    expect(await cluster.waitForFailover(slot)).toBe(replica);
    expect(await cluster.primaryOf(slot)).toBe(replica);
    expect(await replica?.command("GET", "{lost}")).toBe("1");
    await cluster.finishMovingSlot(slot);
    expect(await to.command("GET", "{lost}")).toBe("1");
  });

  it("leaves no node and no folder, also of one that was killed", async () => {
    await cluster.stop();
    expect(cluster.nodes.filter((node) => !node.ended() || existsSync(node.folder))).toEqual([]);
  });

  it("leaves nothing when it cannot start", async () => {
    await expect(startCluster({ args: ["--no-such-option", "1"] })).rejects.toThrow("no-such-option");
  });
});
