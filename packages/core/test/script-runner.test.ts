import { afterEach, describe, expect, it, vi } from "vitest";
import type { Deadline } from "../src/deadline.js";
import type { RedisConnection } from "../src/redis-connection.js";
import type { Script } from "../src/script.js";
import { type ScriptCall, type ScriptRequest, ScriptRunner } from "../src/script-runner.js";
import { sha1 } from "../src/sha1.js";
import { type Fault, faultyConnection, gate, replyLost } from "./faulty-connection.js";
import { connectResp, useRedis } from "./redis.js";
import { thenable } from "./thenable.js";

const { redis, connection } = await useRedis();
const NEVER: Promise<never> = new Promise(() => {});

function scriptOf(text: string): Script {
  return { text, sha1: sha1(text), sha1Bytes: new TextEncoder().encode(sha1(text)) };
}

/** A script that the server has not seen, which counts its calls at the key. */
let scripts = 0;
function newCounter(): Script {
  return scriptOf(`return redis.call('INCR', KEYS[1]) -- ${scripts++}`);
}

const newDeadline = (): Deadline => ({ isPast: false, onPast: undefined, hasBegun: false });

type Call = ScriptRequest & Pick<ScriptCall, "deadline">;

/** A call that nobody has given up on, with no argument to speak of. */
function callOf(script: Script, differs: Partial<Call> = {}): Call {
  return { script, keys: ["counter"], args: [new Uint8Array()], deadline: newDeadline(), ...differs };
}

/** What comes of a call. */
function run(runner: ScriptRunner, call: Call): Promise<unknown> {
  const { deadline, ...request } = call;
  return new Promise((replied, failed) => runner.run({ request, deadline, replied, failed }));
}

/** A runner, and what it sends. */
function observed(): { runner: ScriptRunner; faulty: ReturnType<typeof faultyConnection> } {
  const faulty = faultyConnection(connection);
  return { runner: new ScriptRunner(faulty), faulty };
}

describe("a script runner", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("calls a script that the server has by its SHA-1", async () => {
    const script = newCounter();
    await redis.command("SCRIPT", "LOAD", script.text);
    const { runner, faulty } = observed();
    expect(await run(runner, callOf(script))).toBe(1);
    expect(faulty.sent).toEqual(["EVALSHA"]);
  });

  it("sends it whole where the server has it not, once, and counts once", async () => {
    const { runner, faulty } = observed();
    const script = newCounter();
    expect(await run(runner, callOf(script))).toBe(1);
    expect(await run(runner, callOf(script))).toBe(2);
    expect(faulty.sent).toEqual(["EVALSHA", "EVAL", "EVALSHA"]);
  });

  it("sends it whole once for a hundred calls at once that miss it", async () => {
    const { runner, faulty } = observed();
    const script = newCounter();
    const replies = await Promise.all(Array.from({ length: 100 }, () => run(runner, callOf(script))));
    expect(faulty.sent.filter((command) => command === "EVAL")).toHaveLength(1);
    expect(new Set(replies).size).toBe(100);
    expect(await redis.command("GET", "counter")).toBe("100");
  });

  it("hands the key and the argument over", async () => {
    const echo = scriptOf("return {KEYS[1], ARGV[1], #KEYS, #ARGV}");
    const argument = new Uint8Array([0, 13, 10, 255]);
    const reply = [Buffer.from("a key"), Buffer.from(argument), 1, 1];
    const { runner } = observed();
    const call = callOf(echo, { keys: ["a key"], args: [argument] });
    expect(await run(runner, call)).toEqual(reply);
    expect(await run(runner, call)).toEqual(reply);
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
      const calls = Array.from({ length: 50 }, () => run(runner, callOf(script)));
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
    await expect(run(runner, callOf(script, { keys: ["a list"] }))).rejects.toThrow(/WRONGTYPE/);
    faulty.faults.push(replyLost);
    await expect(run(runner, callOf(script))).rejects.toThrow("Connection is closed.");
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
    const calls = Array.from({ length: 3 }, () => run(runner, callOf(script)));
    const settled = await Promise.allSettled(calls);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(await redis.command("GET", "counter")).toBe("2");
  });

  describe("in a cluster, where a script may be missing on many nodes", () => {
    /** Nodes by the key: "hangs" answers nothing once it is sent a script, every other one loads it. */
    function clusterOf(sent: string[]): RedisConnection {
      const loaded = new Set<string>();
      return {
        async send(command, _args, node) {
          sent.push(`${command} ${node}`);
          if (command === "EVALSHA" && !loaded.has(node)) throw new Error("NOSCRIPT No matching script.");
          if (node === "hangs") return NEVER;
          loaded.add(node);
          return "done";
        },
      };
    }

    it("waits no longer than a moment for a node that hangs, and then loads it on another", async () => {
      const sent: string[] = [];
      const runner = new ScriptRunner(clusterOf(sent));
      const script = newCounter();
      void run(runner, callOf(script, { keys: ["hangs"] }));
      const startMs = performance.now();
      expect(await run(runner, callOf(script, { keys: ["lives"] }))).toBe("done");
      expect(performance.now() - startMs).toSatisfy((ms) => ms >= 49 && ms < 500);
      expect(sent.filter((command) => command.endsWith("lives"))).toEqual([
        "EVALSHA lives",
        "EVALSHA lives",
        "EVAL lives",
      ]);
    });

    it("leaves no timer behind where the script is there in a moment", async () => {
      vi.useFakeTimers();
      const runner = new ScriptRunner(clusterOf([]));
      const script = newCounter();
      await Promise.all(["one", "one", "other"].map((key) => run(runner, callOf(script, { keys: [key] }))));
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  describe("sends nothing more for a caller who has stopped waiting", () => {
    /** A caller who leaves as soon as one of the commands is answered. */
    function leaving(): { deadline: Deadline; leave: Fault } {
      const deadline = { isPast: false, onPast: undefined, hasBegun: false };
      return {
        deadline,
        leave: (send) =>
          send().finally(() => {
            deadline.isPast = true;
          }),
      };
    }
    const pass: Fault = (send) => send();

    it("where the server has not the script", async () => {
      const { runner, faulty } = observed();
      const { deadline, leave } = leaving();
      faulty.faults.push(leave);
      await expect(run(runner, callOf(newCounter(), { deadline }))).rejects.toThrow("NOSCRIPT");
      expect(faulty.sent).toEqual(["EVALSHA"]);
      expect(await redis.command("EXISTS", "counter")).toBe(0);
    });

    it("where it left while another call was loading the script", async () => {
      const { runner, faulty } = observed();
      const { deadline, leave } = leaving();
      faulty.faults.push(pass, pass, leave);
      const script = newCounter();
      const calls = [callOf(script), callOf(script, { deadline })];
      await Promise.allSettled(calls.map((call) => run(runner, call)));
      expect(faulty.sent).toEqual(["EVALSHA", "EVALSHA", "EVAL"]);
      expect(await redis.command("GET", "counter")).toBe("1");
    });

    it("where the script was flushed again meanwhile", async () => {
      const { runner, faulty } = observed();
      const { deadline, leave } = leaving();
      const flush: Fault = async (send) => {
        await redis.command("SCRIPT", "FLUSH");
        return leave(send);
      };
      faulty.faults.push(pass, pass, pass, flush);
      const script = newCounter();
      const calls = [callOf(script), callOf(script, { deadline })];
      const settled = await Promise.allSettled(calls.map((call) => run(runner, call)));
      expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      expect(faulty.sent).toEqual(["EVALSHA", "EVALSHA", "EVAL", "EVALSHA"]);
      expect(await redis.command("GET", "counter")).toBe("1");
    });
  });

  describe("over a client that sends again", () => {
    /** Holds every command back until it is told to send them, each as it then stands. */
    function patient(): { client: RedisConnection; send(): void; lose(): void } {
      const held = gate();
      const listeners: (() => void)[] = [];
      return {
        send: held.open,
        lose: () => {
          for (const listener of listeners) listener();
        },
        client: {
          onConnectionLost: (listener) => void listeners.push(listener),
          async send(command, args) {
            await held.opened;
            return connection.send(command, args);
          },
        },
      };
    }

    it("runs nothing for a call that was under way when the connection was lost, and does not load it", async () => {
      const { client, send, lose } = patient();
      const script = newCounter();
      await redis.command("SCRIPT", "LOAD", script.text);
      const lost = run(new ScriptRunner(client), callOf(script));
      lose();
      send();
      await expect(lost).rejects.toThrow("the connection was lost before the reply came");
      expect(await redis.command("EXISTS", "counter")).toBe(0);
    });

    it("runs nothing for a caller who has left, and everything for one who calls later", async () => {
      const { client, send, lose } = patient();
      const script = newCounter();
      await redis.command("SCRIPT", "LOAD", script.text);
      const runner = new ScriptRunner(client);
      const deadline = newDeadline();
      const left = run(runner, callOf(script, { deadline }));
      const lost = run(runner, callOf(script));
      deadline.onPast?.();
      lose();
      const later = run(runner, callOf(script));
      send();
      await expect(left).rejects.toThrow();
      await expect(lost).rejects.toThrow();
      expect(await later).toBe(1);
    });
  });

  it("strikes out what a client gave up by itself, since it may still send it", async () => {
    const sent: (string | Uint8Array)[] = [];
    const impatient: RedisConnection = {
      async send(_command, args) {
        sent.push(...args.slice(0, 1));
        throw new Error("Command timed out");
      },
    };
    await expect(run(new ScriptRunner(impatient), callOf(newCounter()))).rejects.toThrow("Command timed out");
    expect(sent).toEqual([new Uint8Array(40).fill(0x30)]);
  });

  it("takes from a client whatever can be awaited", async () => {
    const faulty = faultyConnection(connection);
    const send = (...sent: Parameters<RedisConnection["send"]>) => thenable(faulty.send(...sent));
    // @ts-expect-error a client without types
    const runner = new ScriptRunner({ send });
    const script = newCounter();
    expect(await run(runner, callOf(script))).toBe(1);
    expect(await run(runner, callOf(script))).toBe(2);
    expect(faulty.sent).toEqual(["EVALSHA", "EVAL", "EVALSHA"]);
  });
});
