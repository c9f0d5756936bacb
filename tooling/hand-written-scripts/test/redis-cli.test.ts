import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fixedWindow } from "@sluice/fixed-window";
import { expect, it } from "vitest";
import { luaPath, openWorkbench } from "../src/workbench.ts";

const { redis, store } = await openWorkbench();
const OURS = fileURLToPath(import.meta.resolve("@sluice/fixed-window/package.json")).replace(
  "package.json",
  "lua/consume.lua",
);

it("a comma without a space before it belongs to the key, and everything after it is a key too", async () => {
  const path = join(redis.folder, "count.lua");
  writeFileSync(path, "return {#KEYS, #ARGV, KEYS[1]}");

  expect(await redis.cli(["--eval", path, "key,", "3", "60000"])).toBe("3\n0\nkey,\n");
  expect(await redis.cli(["--eval", path, "key", ",", "3", "60000"])).toBe("1\n2\nkey\n");
});

it("--eval decides on the state that limiters use", async () => {
  const limiter = fixedWindow({ name: "calls", limit: 3, window: "1h", anchor: "first", store: store() });
  await limiter.consume("user:42");
  const args = ["1", "-1", "1", "1", "0", "3", "3600000", "1"];
  const reply = await redis.cli(["--eval", OURS, "sluice:calls:fixed.1:{user:42}", ",", ...args]);

  expect(reply).toMatch(/^1\n\d+\n2\n/);
  expect((await limiter.peek("user:42")).remaining).toBe(1);
});

it("--ldb works on a copy: nothing is charged", async () => {
  const session = ["--ldb", "--eval", luaPath("incr-expire"), "count", ",", "3", "60000"];
  expect(await redis.cli(session, "continue\n")).toContain("(integer) 1");
  expect(await redis.command("EXISTS", "count")).toBe(0);

  const [sync, ...rest] = ["--ldb-sync-mode", ...session.slice(1)];
  expect(await redis.cli([String(sync), ...rest], "continue\n")).toContain("(integer) 1");
  expect(await redis.command("EXISTS", "count")).toBe(1);
});
