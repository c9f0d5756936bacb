import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { debugArgs } from "../src/debug-args.ts";
import { sendCommand } from "../src/resp.ts";
import { startRedis } from "../src/start-redis.ts";
import { answers, gone, startParent } from "./start-parent.ts";

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
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

  it("asks for a password, and says it itself", async () => {
    await using redis = await startRedis({ password: "pass word" });
    await expect(sendCommand({ host: redis.host, port: redis.port }, ["PING"])).rejects.toThrow("NOAUTH");
    expect(await redis.command("PING")).toBe("PONG");
    expect(await redis.cli(["PING"])).toBe("PONG\n");
    expect(redis.url).toBe(`redis://:pass%20word@127.0.0.1:${redis.port}`);
  });

  it("allows DEBUG where it is asked to, whatever the server's version", async () => {
    await using redis = await startRedis({ args: await debugArgs() });
    expect(await redis.command("DEBUG", "SLEEP", "0")).toBe("OK");
  });

  it("is gone once it is killed, but for its folder", async () => {
    await using redis = await startRedis();
    await redis.kill();
    expect([redis.ended(), runs(redis.pid), existsSync(redis.folder)]).toEqual([true, false, true]);
    await redis.stop();
    expect(existsSync(redis.folder)).toBe(false);
  });

  it("starts again after it was killed, on the same port, with what it wrote to its folder", async () => {
    await using redis = await startRedis({ args: ["--appendonly", "yes", "--appendfsync", "always"] });
    await redis.command("SET", "k", "1");
    const { pid } = redis;
    await redis.kill();
    await redis.restart();
    expect([redis.ended(), runs(redis.pid), runs(pid)]).toEqual([false, true, false]);
    expect(await redis.command("GET", "k")).toBe("1");
    await redis.stop();
    expect([runs(redis.pid), existsSync(redis.folder)]).toEqual([false, false]);
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
      const { parent, servers } = await startParent("wait");
      expect(await Promise.all(servers.map(answers))).toEqual([true]);
      parent.kill(signal);
      expect(await gone(servers)).toBe(true);
    },
  );

  it.concurrent.each(["throw", "exit", "forget"])(
    "ends with a parent that ends by itself (%s)",
    async (mode) => {
      const { parent, servers } = await startParent(mode);
      if (parent.exitCode === null) await new Promise((resolve) => parent.once("exit", resolve));
      expect(await gone(servers)).toBe(true);
    },
  );

  it.concurrent.each(["crashed", "restarted", "cluster", "sentinel"])(
    "leaves nothing of what a parent had that gets SIGKILL: %s",
    async (topology) => {
      const { parent, servers } = await startParent("wait", topology);
      parent.kill("SIGKILL");
      expect(await gone(servers)).toBe(true);
    },
  );
});
