import { describe, expect, it } from "vitest";
import { defineAlgorithm } from "../src/define-algorithm.js";
import { redisStore } from "../src/redis-store.js";
import { scriptsOf, writeScripts } from "../src/script.js";
import { sha1 } from "../src/sha1.js";
import { manualClock } from "../src/testing.js";
import { useRedis } from "./redis.js";
import { tally, tallyAlgorithm } from "./tiny-algorithm.js";

const { redis, connection } = await useRedis();
const KEY = "sluice:api:tally.1:{a}";

describe("a written script", () => {
  const lua = { level: "LEVEL\n", consume: "CONSUME\n\n", adjust: "ADJUST" };
  const write = (consume: string, dated?: number): string =>
    writeScripts({ ...tallyAlgorithm, dated }, lua, { consume, adjust: "" }).consume;

  it.each([
    ["$parameters", "limit, window"],
    ["$state", "used, started"],
    ["$granted", "grantedUsed, grantedStarted"],
    ["<d$parametersFormat$stateFormat", "<ddddd"],
    ["$usualBytes and $stateBytes", "24 and 16"],
    ["$level; $consume; $adjust.", "LEVEL; CONSUME; ADJUST."],
  ])("has the kernel in place of %s", (template, text) => {
    expect(write(template)).toBe(text);
  });

  it("replies with the state alone only where the state bears the date of the call", () => {
    expect(write("[$brief][$briefly]")).toBe("[][]");
    expect(write("$brief", 1)).toBe(
      "if taken == cost and started == now and not plain then return fresh end",
    );
    expect(write("$briefly", 1)).toContain(
      "the state alone when the whole cost was granted and started is now",
    );
  });

  it("keeps a dollar sign that stands for nothing", () => {
    expect(write("'$x' '$' '$1'")).toBe("'$x' '$' '$1'");
  });

  it("takes a kernel's dollar signs as they are", () => {
    const kernel = { ...lua, level: "-- $& $1 $state" };
    expect(writeScripts(tallyAlgorithm, kernel, { consume: "$level", adjust: "" }).consume).toBe(
      "-- $& $1 $state",
    );
  });
});

describe("the scripts of an algorithm", () => {
  it("are made once, and named by their SHA-1", () => {
    const scripts = scriptsOf(tallyAlgorithm);
    expect(scriptsOf(tallyAlgorithm)).toBe(scripts);
    for (const { text, sha1: name } of [scripts.consume, scripts.adjust]) expect(name).toBe(sha1(text));
  });

  it("have no placeholder left, and no comment to send", () => {
    for (const { text } of Object.values(scriptsOf(tallyAlgorithm))) expect(text).not.toMatch(/\$|^\s*--/m);
  });

  it("are the same whatever the numbers and the names of its limits, so that Redis caches two", async () => {
    await redis.command("SCRIPT", "FLUSH");
    const store = redisStore(connection);
    for (let limit = 1; limit <= 10; limit++) {
      const limiter = tally({ name: `api${limit}`, limit, window: limit * 1_000, store });
      await limiter.refund(await limiter.consume(`user:${limit}`));
    }
    expect(await redis.command("INFO", "memory")).toMatch(/^number_of_cached_scripts:2\r$/m);
  });

  it("take their numbers as plain text too, and then reply in plain numbers", async () => {
    const { consume, adjust } = scriptsOf(tallyAlgorithm);
    const consumed = ["EVAL", consume.text, "1", KEY, "1", "5000", "3", "3", "0", "10", "60000"];
    expect(await redis.command(...consumed)).toEqual([3, 5_000, 3, 5_000]);
    const looked = ["EVAL", consume.text, "1", KEY, "0", "5001", "8", "8", "0", "10", "60000"];
    expect(await redis.command(...looked)).toEqual([-1, 5_001, 3, 5_000]);
    const adjusted = ["EVAL", adjust.text, "1", KEY, "5002", "-2", "10", "60000", "3", "5000"];
    expect(await redis.command(...adjusted)).toEqual([0, 5_002, 1, 5_000]);
  });

  it("answer the same where they reply with the state alone", async () => {
    const clock = manualClock(5_000);
    const store = redisStore(connection, { clock });
    const whole = tally({ name: "whole", limit: 5, window: 1_000, store });
    const brief = defineAlgorithm({ ...tallyAlgorithm, dated: 1 })({
      name: "brief",
      limit: 5,
      window: 1_000,
      store,
    });
    for (const cost of [1, 2, 3, 1]) {
      const expected = await whole.consume("a", { cost });
      const { taken, remaining, decidedAtMs, allowed } = await brief.consume("a", { cost });
      expect(expected).toMatchObject({ taken, remaining, decidedAtMs, allowed });
      clock.advance(300);
    }
  });
});
