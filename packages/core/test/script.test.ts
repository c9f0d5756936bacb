import { describe, expect, it } from "vitest";
import { defineAlgorithm } from "../src/define-algorithm.js";
import { redisStore } from "../src/redis-store.js";
import { type ScriptedKernel, scriptsOf, writeScripts } from "../src/script.js";
import { sha1 } from "../src/sha1.js";
import { manualClock } from "../src/testing.js";
import { useRedis } from "./redis.js";
import { tally, tallyAlgorithm } from "./tiny-algorithm.js";
import { writtenTallyAlgorithm } from "./written-tally.js";

const { redis, connection } = await useRedis();
const KEY = "sluice:api:tly.1:{a}";

describe("a written script", () => {
  const lua = { level: "LEVEL\n", consume: "if ... then\n\n  CONSUME\nend\n\n", adjust: "ADJUST" };
  const numbers = { read: "READ\n", load: "LOAD $state", write: "WRITE" };
  const write = (consume: string, differs: Partial<ScriptedKernel> = {}): string =>
    writeScripts(
      { ...tallyAlgorithm, lua, ...differs },
      {
        consume,
        adjust: "",
        clock: "CLOCK",
        serverTime: "TIME",
        commit: "COMMIT",
        policy: "POLICY",
        numbers,
      },
    ).consume;

  it.each([
    ["$parameters", "limit, window"],
    ["$state", "used, started"],
    ["$facts", "used, started"],
    ["$granted", "grantedUsed, grantedStarted"],
    ["<d$parametersFormat$stateFormat", "<ddddd"],
    ["$usualBytes and $stateBytes", "24 and 16"],
    ["$level; $adjust.", "LEVEL\n; ADJUST."],
  ])("has the kernel in place of %s", (template, text) => {
    expect(write(template)).toBe(text);
  });

  it.each([
    ["$state", "used, started"],
    ["$facts", "used, ends, size"],
    ["$granted", "grantedUsed, grantedEnds, grantedSize"],
    ["<$stateFormat and <$factsFormat", "<dd and <ddd"],
  ])("tells the facts from the state where the kernel does: %s", (template, text) => {
    expect(write(template, { facts: ["used", "ends", "size"] })).toBe(text);
  });

  it("has a block that stands alone on its line indented as it stands, and nothing after its end", () => {
    expect(write("a\n  $consume\n$level\nb")).toBe("a\n  if ... then\n\n    CONSUME\n  end\nLEVEL\nb");
  });

  it("has no line for what there is not", () => {
    expect(write("a\n  $brief\nb\n")).toBe("a\nb\n");
    expect(write("a\n  $level\nb\n", { lua: { ...lua, level: "" } })).toBe("a\nb\n");
  });

  it("keeps its state in the way of the templates, where the kernel has none of its own", () => {
    expect(write("$read\n$load\n$write\n")).toBe("READ\nLOAD used, started\nWRITE\n");
    const storage = { read: "OWN READ", load: "OWN LOAD", write: "OWN WRITE of $facts" };
    expect(write("$read\n$load\n$write\n", { lua: { ...lua, storage } })).toBe(
      "OWN READ\nOWN LOAD\nOWN WRITE of used, started\n",
    );
  });

  it("replies with the facts alone only where one of them is the date of the call", () => {
    expect(write("[$brief][$briefly]")).toBe("[][]");
    expect(write("$brief", { dated: 1 })).toBe(
      "if taken == cost and started == now and not plain then return fresh end",
    );
    expect(write("$briefly", { dated: 1 })).toContain(
      "those alone when the whole cost was granted and started is now",
    );
    expect(write("$brief", { dated: 2, facts: ["used", "ends", "at"] })).toContain("and at == now");
  });

  it("keeps a dollar sign that stands for nothing", () => {
    expect(write("'$x' '$' '$1'\n$x\n")).toBe("'$x' '$' '$1'\n$x\n");
  });

  it("takes a kernel's dollar signs as they are, but for those that name its own numbers", () => {
    const dollars = { ...lua, level: "-- $& $1 $$ $level $consume ($state)" };
    expect(write("$level", { lua: dollars })).toBe("-- $& $1 $$ $level $consume (used, started)");
    expect(write("  $level\n", { lua: dollars })).toBe("  -- $& $1 $$ $level $consume (used, started)\n");
  });
});

describe("the scripts of an algorithm", () => {
  it("are made once, and named by their SHA-1", () => {
    const scripts = scriptsOf(tallyAlgorithm);
    expect(scriptsOf(tallyAlgorithm)).toBe(scripts);
    for (const { text, sha1: name } of [scripts.consume, scripts.adjust]) expect(name).toBe(sha1(text));
  });

  it.each([tallyAlgorithm, writtenTallyAlgorithm])(
    "have no placeholder left, and no comment to send: $id",
    (algorithm) => {
      for (const { text } of Object.values(scriptsOf(algorithm))) expect(text).not.toMatch(/\$|^\s*--/m);
    },
  );

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

  it("reply with the facts, not with the state, and take them back in a correction", async () => {
    const { consume, adjust } = scriptsOf(writtenTallyAlgorithm);
    const consumed = ["EVAL", consume.text, "1", KEY, "1", "5000", "3", "3", "0", "10", "60000"];
    expect(await redis.command(...consumed)).toEqual([3, 5_000, 3, 65_000]);
    expect(await redis.command("GET", KEY)).toBe("3 since 5000");
    const adjusted = ["EVAL", adjust.text, "1", KEY, "5002", "-2", "10", "60000", "3", "65000"];
    expect(await redis.command(...adjusted)).toEqual([0, 5_002, 1, 65_000]);
  });

  it("answer the same where they reply with the facts alone", async () => {
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
