import { join } from "node:path";
import { repliedNumbers, ScriptShell } from "@sluice/algorithm-proof";
import { type RedisServer, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const LOG_KEY = "sluice:api:log.1:{user:42}";
const COUNTER_KEY = "sluice:api:counter.1:{user:42}";
/** 100 units a minute. */
const POLICY = [100, 60_000];
/** A quarter of a minute into a minute: a moment that is told, so that the replies are known. */
const NOW = 1_735_689_615_000;

let redis: RedisServer;
const shell = new ScriptShell(join(import.meta.dirname, ".."), () => redis);

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis?.stop();
});
beforeEach(async () => {
  await redis.command("FLUSHALL");
});

describe("log/consume.lua by redis-cli --eval", () => {
  const consume = (mode: 0 | 1, cost: number, nowMs: number) =>
    shell.evaluate("log/consume.lua", LOG_KEY, mode, nowMs, cost, cost, 0, ...POLICY);

  it("grants, then denies and tells when not, then looks", async () => {
    expect(await consume(1, 70, NOW)).toEqual([70, NOW, 70, NOW, 0]);
    expect(await consume(1, 20, NOW + 5)).toEqual([20, NOW + 5, 90, NOW + 5, 0]);
    expect(await consume(1, 11, NOW + 9)).toEqual([-1, NOW + 9, 90, NOW + 5, NOW + 60_000]);
    expect(await consume(1, 81, NOW + 9)).toEqual([-1, NOW + 9, 90, NOW + 5, NOW + 60_005]);
    expect(await consume(0, 10, NOW + 9)).toEqual([10, NOW + 9, 90, NOW + 5, 0]);
    expect(await consume(1, 10, NOW + 60_000)).toEqual([10, NOW + 60_000, 30, NOW + 60_000, 0]);
  });
});

describe("log/adjust.lua by redis-cli --eval", () => {
  it("gives back what was taken, then takes more than there is, where it was granted", async () => {
    const [, , ...granted] = await shell.evaluate("log/consume.lua", LOG_KEY, 1, NOW, 30, 30, 0, ...POLICY);
    const adjust = (nowMs: number, delta: number) =>
      shell.evaluate("log/adjust.lua", LOG_KEY, nowMs, delta, ...POLICY, ...granted);
    expect(await adjust(NOW + 1, -20)).toEqual([0, NOW + 1, 10, NOW, 0]);
    expect(await adjust(NOW + 2, 200)).toEqual([0, NOW + 2, 210, NOW, 0]);
    expect(await adjust(NOW + 60_000, -200)).toEqual([0, NOW + 60_000, 0, 0, 0]);
  });

  it("refuses a debt that is too large to be counted", async () => {
    await shell.evaluate("log/consume.lua", LOG_KEY, 1, NOW, 1, 1, 0, ...POLICY);
    const most = 2 ** 48 - 2;
    const adjust = (delta: number) =>
      shell.evaluate("log/adjust.lua", LOG_KEY, NOW, delta, ...POLICY, 1, NOW, 0);
    expect(await adjust(most + 1)).toEqual([-1, NOW, 1, NOW, 0]);
    expect(await adjust(most)).toEqual([0, NOW, most + 1, NOW, 0]);
  });
});

describe("counter/consume.lua by redis-cli --eval", () => {
  const consume = (mode: 0 | 1, cost: number, nowMs: number) =>
    shell.evaluate("counter/consume.lua", COUNTER_KEY, mode, nowMs, cost, cost, 0, ...POLICY);

  it("grants, then denies, then looks", async () => {
    expect(await consume(1, 42, NOW - 60_000)).toEqual([42, NOW - 60_000, 42, 0, NOW - 60_000, 60_000]);
    expect(await consume(1, 18, NOW)).toEqual([18, NOW, 18, 42, NOW, 60_000]);
    expect(await consume(1, 51, NOW)).toEqual([-1, NOW, 18, 42, NOW, 60_000]);
    expect(await consume(0, 50, NOW)).toEqual([50, NOW, 18, 42, NOW, 60_000]);
  });
});

describe("counter/adjust.lua by redis-cli --eval", () => {
  it("gives back what was taken in the present minute, and adds to the one before", async () => {
    const run = (script: string, ...numbers: number[]) => shell.evaluate(script, COUNTER_KEY, ...numbers);
    const [, , ...granted] = await run("counter/consume.lua", 1, NOW, 30, 30, 0, ...POLICY);
    const later = NOW + 60_000;
    expect(await run("counter/adjust.lua", NOW, -20, ...POLICY, ...granted)).toEqual([
      0,
      NOW,
      10,
      0,
      NOW,
      60_000,
    ]);
    expect(await run("counter/adjust.lua", later, -5, ...POLICY, ...granted)).toEqual([
      0,
      later,
      10,
      0,
      NOW,
      60_000,
    ]);
    expect(await run("counter/adjust.lua", later, 5, ...POLICY, ...granted)).toEqual([
      0,
      later,
      15,
      0,
      NOW,
      60_000,
    ]);
  });
});

describe.each([
  { algorithm: "log", key: LOG_KEY, nothing: [-1, -1, -1], facts: 3 },
  { algorithm: "counter", key: COUNTER_KEY, nothing: [-1, -1, -1, -1], facts: 4 },
])("the scripts of the $algorithm", ({ algorithm, key, nothing, facts }) => {
  const script = `${algorithm}/consume.lua`;

  it("go by the server's clock where they are told -1", async () => {
    const before = Date.now();
    const [taken, now = 0, ...more] = await shell.evaluate(script, key, 1, -1, 1, 1, 0, ...POLICY);
    expect(taken).toBe(1);
    expect(more).toHaveLength(facts);
    expect(more).toContain(now);
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it("take fewer where fewer will do, and leave what is reserved", async () => {
    expect((await shell.evaluate(script, key, 1, NOW, 500, 1, 0, ...POLICY))[0]).toBe(100);
    await redis.command("FLUSHALL");
    expect((await shell.evaluate(script, key, 1, NOW, 500, 1, 7, ...POLICY))[0]).toBe(93);
  });

  it("give the key a TTL that outlives what it counts, and not twice of it and a second", async () => {
    await shell.evaluate(script, key, 1, NOW, 1, 1, 0, ...POLICY);
    const countsForMs = algorithm === "log" ? 60_000 : 105_000;
    const ttlMs = Number(await redis.command("PTTL", key));
    expect(ttlMs).toBeGreaterThan(countsForMs);
    expect(ttlMs).toBeLessThanOrEqual(2 * countsForMs + 1_000);
  });

  it("refuse a key that holds something else", async () => {
    await redis.command("SET", key, "something else");
    await expect(shell.evaluate(script, key, 1, NOW, 1, 1, 0, ...POLICY)).rejects.toThrow("SLUICESTATE");
    const adjust = shell.evaluate(`${algorithm}/adjust.lua`, key, NOW, -1, ...POLICY, ...nothing);
    await expect(adjust).rejects.toThrow("SLUICESTATE");
    expect(await redis.command("GET", key)).toBe("something else");
  });

  it("leave no key when nothing is used any more", async () => {
    const [, , ...granted] = await shell.evaluate(script, key, 1, NOW, 2, 2, 0, ...POLICY);
    await shell.evaluate(`${algorithm}/adjust.lua`, key, NOW, -2, ...POLICY, ...granted);
    expect(await redis.command("EXISTS", key)).toBe(0);
  });

  describe("as the README calls them", () => {
    const lines = shell.documented.filter(
      (line) => line.includes(`lua/${algorithm}/`) || line.includes(`${algorithm}.1:`),
    );
    const debugged = lines.filter((line) => line.includes("--ldb"));
    const run = lines.filter((line) => !line.includes("--ldb"));
    const usual =
      run.find((line) => line.includes(`lua/${script}`)) ??
      `redis-cli --eval lua/${script} '${key}' , 1 -1 1 1 0 ${POLICY.join(" ")}`;

    it("charge a window, and are denied when it is full", async () => {
      expect((await shell.run(usual))[0]).toBe(1);
      await shell.evaluate(script, key, 1, -1, 99, 99, 0, ...POLICY);
      expect((await shell.run(usual))[0]).toBe(-1);
    });

    it.each(run)("run as they stand: %s", async (line) => {
      await shell.run(usual);
      const numbers = await shell.run(line);
      expect(numbers.length).toBeGreaterThanOrEqual(2);
      expect(numbers.every(Number.isSafeInteger)).toBe(true);
    });

    it("step through the script in the debugger, which ends with the reply and leaves nothing behind", async () => {
      const line = debugged[0] ?? usual.replace("--eval", "--ldb --eval");
      const session = await shell.debug(line, "s\ns\np cost\nc\nquit\n");
      expect(session).toContain("Lua debugging session started");
      const [taken, now, ...more] = repliedNumbers(session);
      expect([taken, more.length]).toEqual([1, facts]);
      expect(more).toContain(now);
      expect(session.trimEnd()).toMatch(/\(Lua debugging session ended.*\)$/);
      expect(await redis.command("EXISTS", key)).toBe(0);
    });
  });
});
