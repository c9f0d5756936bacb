import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sendCommand } from "../src/resp.ts";
import { startRedis } from "../src/start-redis.ts";

const PARENT = fileURLToPath(new URL("parent.ts", import.meta.url));

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

interface Started {
  port: number;
  folder: string;
}

/** By its port and not its process id: where nobody waits for orphans, their ids stay for ever. */
async function answers(port: number): Promise<boolean> {
  return sendCommand({ host: "127.0.0.1", port }, ["PING"]).then(
    () => true,
    () => false,
  );
}

async function gone({ port, folder }: Started): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 20) {
    if (!existsSync(folder) && !(await answers(port))) return true;
    await sleep(20);
  }
  return false;
}

/** A process that starts a server, prints what it got as JSON, and then does as `mode` says. */
async function startParent(mode: string): Promise<Started & { parent: ChildProcess }> {
  const parent = spawn(process.execPath, ["--import", "tsx", PARENT, mode], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const line = await new Promise<string>((resolve) => {
    parent.stdout.once("data", (chunk) => resolve(String(chunk)));
  });
  return { parent, ...JSON.parse(line) };
}

describe("startRedis", () => {
  it("answers on its port and its socket", async () => {
    await using redis = await startRedis();
    expect(await redis.command("PING")).toBe("PONG");
    expect(redis.url).toBe(`redis://127.0.0.1:${redis.port}`);
    expect(await redis.cli(["-s", redis.socketPath, "PING"])).toBe("PONG\n");
  });

  it("speaks every kind of reply", async () => {
    await using redis = await startRedis();
    expect(await redis.command("SET", "k", "ä{}")).toBe("OK");
    expect(await redis.command("MGET", "k", "none")).toEqual(["ä{}", null]);
    expect(await redis.command("EVAL", "return {1, {2, 'x'}}", "0")).toEqual([1, [2, "x"]]);
    await expect(redis.command("INCR", "k")).rejects.toThrow("not an integer");
  });

  it("keeps nothing on disk", async () => {
    await using redis = await startRedis();
    expect(await redis.command("CONFIG", "GET", "save")).toEqual(["save", ""]);
    expect(await redis.command("CONFIG", "GET", "appendonly")).toEqual(["appendonly", "no"]);
  });

  it("starts two at once, apart from each other", async () => {
    const [one, two] = await Promise.all([startRedis(), startRedis()]);
    await one.command("SET", "k", "1");
    expect(await two.command("GET", "k")).toBeNull();
    await Promise.all([one.stop(), two.stop()]);
  });

  it("passes arguments on, feeds redis-cli, and runs under a wrapper", async () => {
    await using redis = await startRedis({ args: ["--maxmemory", "50mb"], wrapper: ["/usr/bin/env"] });
    expect(await redis.command("CONFIG", "GET", "maxmemory")).toEqual(["maxmemory", "52428800"]);
    expect(await redis.cli([], "ECHO one\nECHO two\n")).toBe("one\ntwo\n");
    await expect(redis.cli(["--no-such-option"])).rejects.toThrow("Unrecognized option");
  });

  it("leaves no process and no folder", async () => {
    const redis = await startRedis();
    expect(existsSync(redis.folder)).toBe(true);
    await redis.stop();
    await redis.stop();
    expect(runs(redis.pid)).toBe(false);
    expect(existsSync(redis.folder)).toBe(false);
  });

  it("stops a server that no longer reacts", async () => {
    const redis = await startRedis();
    process.kill(redis.pid, "SIGSTOP");
    await redis.stop();
    expect(runs(redis.pid)).toBe(false);
  });

  it("says what the server said when it does not start", async () => {
    await expect(startRedis({ args: ["--no-such-option", "1"] })).rejects.toThrow(/no-such-option/);
  });

  it("refuses a port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    taken.on("connection", (socket) => socket.destroy());
    await expect(startRedis({ port })).rejects.toThrow(/address already in use/i);
    taken.close();
  });

  it.concurrent.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
    "ends with a parent that gets %s",
    async (signal) => {
      const { parent, ...server } = await startParent("wait");
      expect(await answers(server.port)).toBe(true);
      parent.kill(signal);
      expect(await gone(server)).toBe(true);
    },
  );

  it.concurrent.each(["throw", "exit", "forget"])(
    "ends with a parent that ends by itself (%s)",
    async (mode) => {
      const { parent, ...server } = await startParent(mode);
      if (parent.exitCode === null) await new Promise((resolve) => parent.once("exit", resolve));
      expect(await gone(server)).toBe(true);
    },
  );
});
