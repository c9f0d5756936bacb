import { describe, expect, it } from "vitest";
import type { RedisConnection } from "../src/redis-connection.js";
import type { Script } from "../src/script.js";
import { ScriptRunner } from "../src/script-runner.js";
import { sha1 } from "../src/sha1.js";
import { faultyConnection, replyLost } from "./faulty-connection.js";
import { connectResp, useRedis } from "./redis.js";

const { redis, connection } = await useRedis();
const NOTHING = new Uint8Array();

function scriptOf(text: string): Script {
  return { text, sha1: sha1(text) };
}

/** A script that the server has not seen, which counts its calls at the key. */
let scripts = 0;
function newCounter(): Script {
  return scriptOf(`return redis.call('INCR', KEYS[1]) -- ${scripts++}`);
}

/** A runner, and what it sends. */
function observed(): { runner: ScriptRunner; faulty: ReturnType<typeof faultyConnection> } {
  const faulty = faultyConnection(connection);
  return { runner: new ScriptRunner(faulty), faulty };
}

describe("a script runner", () => {
  it("calls a script that the server has by its SHA-1", async () => {
    const script = newCounter();
    await redis.command("SCRIPT", "LOAD", script.text);
    const { runner, faulty } = observed();
    expect(await runner.run(script, "counter", NOTHING)).toBe(1);
    expect(faulty.sent).toEqual(["EVALSHA"]);
  });

  it("sends it whole where the server has it not, once, and counts once", async () => {
    const { runner, faulty } = observed();
    const script = newCounter();
    expect(await runner.run(script, "counter", NOTHING)).toBe(1);
    expect(await runner.run(script, "counter", NOTHING)).toBe(2);
    expect(faulty.sent).toEqual(["EVALSHA", "EVAL", "EVALSHA"]);
  });

  it("sends it whole once for a hundred calls at once that miss it", async () => {
    const { runner, faulty } = observed();
    const script = newCounter();
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => runner.run(script, "counter", NOTHING)),
    );
    expect(faulty.sent.filter((command) => command === "EVAL")).toHaveLength(1);
    expect(new Set(replies).size).toBe(100);
    expect(await redis.command("GET", "counter")).toBe("100");
  });

  it("hands the key and the argument over", async () => {
    const echo = scriptOf("return {KEYS[1], ARGV[1], #KEYS, #ARGV}");
    const argument = new Uint8Array([0, 13, 10, 255]);
    const reply = [Buffer.from("a key"), Buffer.from(argument), 1, 1];
    const { runner } = observed();
    expect(await runner.run(echo, "a key", argument)).toEqual(reply);
    expect(await runner.run(echo, "a key", argument)).toEqual(reply);
  });

  it("loses no call and doubles none while scripts are flushed under load", async () => {
    const flusher = await connectResp(redis);
    const { runner, faulty } = observed();
    const script = newCounter();
    let underLoad = true;
    const flushing = (async () => {
      let flushes = 0;
      for (; underLoad; flushes++) await flusher.send("SCRIPT", ["FLUSH"]);
      return flushes;
    })();
    const seen = new Set<unknown>();
    for (let round = 0; round < 40; round++) {
      const calls = Array.from({ length: 50 }, () => runner.run(script, "counter", NOTHING));
      for (const reply of await Promise.all(calls)) seen.add(reply);
    }
    underLoad = false;
    expect(await flushing).toBeGreaterThan(10);
    expect(faulty.sent).toContain("EVAL");
    expect(seen.size).toBe(2_000);
    expect(await redis.command("GET", "counter")).toBe("2000");
    flusher.close();
  });

  it("does not send again what failed in another way", async () => {
    const script = newCounter();
    await redis.command("SCRIPT", "LOAD", script.text);
    await redis.command("LPUSH", "a list", "x");
    const { runner, faulty } = observed();
    await expect(runner.run(script, "a list", NOTHING)).rejects.toThrow(/WRONGTYPE/);
    faulty.faults.push(replyLost);
    await expect(runner.run(script, "counter", NOTHING)).rejects.toThrow("Connection is closed.");
    expect(faulty.sent).toEqual(["EVALSHA", "EVALSHA"]);
    expect(await redis.command("GET", "counter")).toBe("1");
  });

  it("does not send again what failed while it was sent whole, and lets those who wait for it go on", async () => {
    const { runner, faulty } = observed();
    const script = newCounter();
    const pass = (send: () => Promise<unknown>): Promise<unknown> => send();
    const refuse = async (): Promise<never> => {
      throw new Error("Connection is closed.");
    };
    faulty.faults.push(pass, pass, pass, refuse);
    const calls = Array.from({ length: 3 }, () => runner.run(script, "counter", NOTHING));
    const settled = await Promise.allSettled(calls);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(await redis.command("GET", "counter")).toBe("2");
  });

  it("lets a node that does not answer hold up no other node that misses the script", async () => {
    const loaded = new Set<string>();
    const cluster: RedisConnection = {
      async send(command, _args, node) {
        if (command === "EVALSHA" && !loaded.has(node)) throw new Error("NOSCRIPT No matching script.");
        if (node === "a dead node") return new Promise(() => {});
        loaded.add(node);
        return "done";
      },
    };
    const runner = new ScriptRunner(cluster);
    const script = newCounter();
    void runner.run(script, "a dead node", NOTHING);
    const late = new Promise((resolve) => setTimeout(resolve, 200, "held up"));
    expect(await Promise.race([runner.run(script, "a live node", NOTHING), late])).toBe("done");
  });
});
