import { describe, expect, it } from "vitest";
import { sha1 } from "../src/sha1.js";
import { sharedScripts } from "../src/shared-scripts.js";
import { useRedis } from "./redis.js";

const { redis } = await useRedis();

describe.each(["block", "getPolicy", "reset", "setPolicy"] as const)("the script %s", (name) => {
  it("is made once, under the name that Redis gives it", async () => {
    const script = sharedScripts[name]();
    expect(sharedScripts[name]()).toBe(script);
    expect(script.sha1).toBe(sha1(script.text));
    expect(await redis.command("SCRIPT", "LOAD", script.text)).toBe(script.sha1);
  });
});
