import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "@sluice/packaging/build";
import { type RedisServer, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/root.js";

const FOLDER = join(ROOT, "examples");
/** The others are what these share. */
const programs = readdirSync(FOLDER).filter(
  (file) => file.endsWith(".ts") && readFileSync(join(FOLDER, file), "utf8").includes("process.exitCode"),
);

/** Runs an example as its head says, to its end, and resolves with what it printed. */
async function run(program: string, redisUrl: string): Promise<string> {
  const args = ["--import", "tsx", join(FOLDER, program)];
  const env = { ...process.env, REDIS_URL: redisUrl, NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env, timeout: 15_000 });
  return stdout;
}

let redis: RedisServer;
beforeAll(async () => {
  [redis] = await Promise.all([startRedis(), build()]);
}, 180_000);
afterAll(async () => {
  await redis?.stop();
});

describe.each(["memory", "Redis"])("on %s", (kind) => {
  const urlOf = (): string => (kind === "memory" ? "" : redis.url);

  it.concurrent.each(programs.filter((program) => program !== "flat-line.ts"))(
    "%s runs to its end",
    async (program) => {
      expect(await run(program, urlOf())).not.toBe("");
    },
  );

  it.concurrent("flat-line.ts does every job, and all workers together at one pace", async () => {
    const rows = (await run("flat-line.ts", urlOf()))
      .split("\n")
      .map((line) => line.match(/[█▓░]/g)?.length ?? 0);
    const busy = rows.filter((jobs) => jobs > 0);
    expect(busy.reduce((sum, jobs) => sum + jobs, 0)).toBe(60);
    expect(busy.length).toBeGreaterThanOrEqual(5);
  });
});
