import { join } from "node:path";
import { repliedNumbers, ScriptShell } from "@sluice/algorithm-proof";
import { type RedisServer, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const KEY = "sluice:api:bucket.1:{user:42}";
/** 20 tokens, 5 back each second: a token has 200 units, of which a millisecond brings one. */
const POLICY = ["4000", "1", "200"];
/** A moment that is told, so that the replies are known. */
const NOW = "1735689600000";

let redis: RedisServer;
const shell = new ScriptShell(join(import.meta.dirname, ".."), () => redis);
const { documented } = shell;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis?.stop();
});
beforeEach(async () => {
  await redis.command("FLUSHALL");
});

describe("consume.lua by redis-cli --eval", () => {
  const consume = (mode: 0 | 1, cost: number, policy = POLICY) =>
    evaluate("consume", String(mode), NOW, String(cost), String(cost), "0", ...policy);

  it("grants, then denies, then looks", async () => {
    expect(await consume(1, 15)).toEqual([15, Number(NOW), 3_000, Number(NOW), 200]);
    expect(await consume(1, 6)).toEqual([-1, Number(NOW), 3_000, Number(NOW), 200]);
    expect(await consume(0, 5)).toEqual([5, Number(NOW), 3_000, Number(NOW), 200]);
    expect(await consume(1, 5)).toEqual([5, Number(NOW), 4_000, Number(NOW), 200]);
  });

  it("goes by the server's clock where it is told -1", async () => {
    const before = Date.now();
    const [taken, now = 0, used, dated] = await evaluate("consume", "1", "-1", "1", "1", "0", ...POLICY);
    expect([taken, used, dated]).toEqual([1, 200, now]);
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it("takes fewer where fewer will do, and leaves what is reserved", async () => {
    expect((await evaluate("consume", "1", NOW, "50", "1", "0", ...POLICY))[0]).toBe(20);
    await redis.command("FLUSHALL");
    expect((await evaluate("consume", "1", NOW, "50", "1", "7", ...POLICY))[0]).toBe(13);
  });

  it("gives the key a TTL", async () => {
    await consume(1, 20);
    const ttlMs = Number(await redis.command("PTTL", KEY));
    expect(ttlMs).toBeGreaterThan(4_000);
    expect(ttlMs).toBeLessThanOrEqual(9_000);
  });

  it("refuses a key that holds something else", async () => {
    await redis.command("SET", KEY, "something else");
    await expect(consume(1, 1)).rejects.toThrow("SLUICESTATE");
  });
});

describe("adjust.lua by redis-cli --eval", () => {
  it("gives back what was taken, then takes more than there is", async () => {
    await evaluate("consume", "1", NOW, "15", "15", "0", ...POLICY);
    const granted = ["3000", NOW, "200"];
    expect(await evaluate("adjust", NOW, "-5", ...POLICY, ...granted)).toEqual([
      0,
      Number(NOW),
      2_000,
      Number(NOW),
      200,
    ]);
    expect(await evaluate("adjust", NOW, "30", ...POLICY, ...granted)).toEqual([
      0,
      Number(NOW),
      8_000,
      Number(NOW),
      200,
    ]);
  });

  it("leaves no key when nothing is used any more", async () => {
    await evaluate("consume", "1", NOW, "2", "2", "0", ...POLICY);
    await evaluate("adjust", NOW, "-2", ...POLICY, "-1", "-1", "-1");
    expect(await redis.command("EXISTS", KEY)).toBe(0);
  });
});

describe("the command lines of the README", () => {
  const consumeLine = documented.find(
    (line) => /--eval \S*consume\.lua/.test(line) && !line.includes("--ldb"),
  );
  const usual = consumeLine ?? `redis-cli --eval lua/consume.lua '${KEY}' , 1 -1 1 1 0 4000 1 200`;

  it("charge a bucket, and are denied while more is used than it holds", async () => {
    const [taken, now, used, dated] = await shell.run(usual);
    expect([taken, used, dated]).toEqual([1, 200, now]);
    await evaluate("adjust", "-1", "100", ...POLICY, "-1", "-1", "-1");
    expect((await shell.run(usual))[0]).toBe(-1);
  });

  it.each(documented.filter((line) => !line.includes("--ldb")))("run as they stand: %s", async (line) => {
    await shell.run(usual);
    const numbers = await shell.run(line);
    expect(numbers.length).toBeGreaterThanOrEqual(4);
    expect(numbers.every(Number.isSafeInteger)).toBe(true);
  });

  it("step through the script in the debugger, which ends with the reply and leaves nothing behind", async () => {
    const line = documented.find((one) => one.includes("--ldb")) ?? usual.replace("--eval", "--ldb --eval");
    const session = await shell.debug(line, "s\ns\np cost\nc\nquit\n");
    expect(session).toContain("Lua debugging session started");
    const reply = repliedNumbers(session);
    expect(reply).toEqual([1, expect.any(Number), 200, reply[1], 200]);
    expect(session.trimEnd()).toMatch(/\(Lua debugging session ended.*\)$/);
    expect(await redis.command("EXISTS", KEY)).toBe(0);
  });
});

/** Runs one of the shipped scripts on the key, and returns the numbers that it replies. */
function evaluate(script: "consume" | "adjust", ...args: string[]): Promise<number[]> {
  return shell.evaluate(`${script}.lua`, KEY, ...args);
}
