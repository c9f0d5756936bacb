import { join } from "node:path";
import { repliedNumbers, ScriptShell } from "@sluice/algorithm-proof";
import { type RedisServer, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const KEY = "sluice:api:fixed.1:{user:42}";
/** 3 units a minute, by the clock. */
const POLICY = [3, 60_000, 0];
/** Half a minute into a minute: a moment that is told, so that the replies are known. */
const NOW = 1_735_689_630_000;

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

describe("consume.lua by redis-cli --eval", () => {
  const consume = (mode: 0 | 1, cost: number, nowMs = NOW, policy = POLICY) =>
    shell.evaluate("consume.lua", KEY, mode, nowMs, cost, cost, 0, ...policy);

  it("grants, then denies, then looks", async () => {
    expect(await consume(1, 2)).toEqual([2, NOW, 2, NOW, NOW]);
    expect(await consume(1, 2, NOW + 1)).toEqual([-1, NOW + 1, 2, NOW, NOW]);
    expect(await consume(0, 1, NOW + 2)).toEqual([1, NOW + 2, 2, NOW, NOW]);
    expect(await consume(1, 1, NOW + 3)).toEqual([1, NOW + 3, 3, NOW + 3, NOW]);
  });

  it("counts anew in the next minute, or a minute after the first grant", async () => {
    await consume(1, 3);
    expect(await consume(1, 1, NOW + 30_000)).toEqual([1, NOW + 30_000, 1, NOW + 30_000, NOW + 30_000]);
    await redis.command("FLUSHALL");
    const first = [3, 60_000, 1];
    await consume(1, 3, NOW, first);
    expect((await consume(1, 1, NOW + 59_999, first))[0]).toBe(-1);
    expect((await consume(1, 1, NOW + 60_000, first))[0]).toBe(1);
  });

  it("goes by the server's clock where it is told -1", async () => {
    const before = Date.now();
    const [taken, now = 0, used, last] = await shell.evaluate("consume.lua", KEY, 1, -1, 1, 1, 0, ...POLICY);
    expect([taken, used, last]).toEqual([1, 1, now]);
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it("takes fewer where fewer will do, and leaves what is reserved", async () => {
    expect((await shell.evaluate("consume.lua", KEY, 1, NOW, 50, 1, 0, ...POLICY))[0]).toBe(3);
    await redis.command("FLUSHALL");
    expect((await shell.evaluate("consume.lua", KEY, 1, NOW, 50, 1, 1, ...POLICY))[0]).toBe(2);
  });

  it("gives the key a TTL that outlives the rest of the window, and not twice of it and a second", async () => {
    await consume(1, 3);
    const ttlMs = Number(await redis.command("PTTL", KEY));
    expect(ttlMs).toBeGreaterThan(30_000);
    expect(ttlMs).toBeLessThanOrEqual(61_000);
  });

  it("refuses a key that holds something else", async () => {
    await redis.command("SET", KEY, "something else");
    await expect(consume(1, 1)).rejects.toThrow("SLUICESTATE");
  });
});

describe("adjust.lua by redis-cli --eval", () => {
  it("gives back what was taken, then takes more than there is", async () => {
    const [, , ...granted] = await shell.evaluate("consume.lua", KEY, 1, NOW, 3, 3, 0, ...POLICY);
    const adjust = (delta: number) =>
      shell.evaluate("adjust.lua", KEY, NOW + 1, delta, ...POLICY, ...granted);
    expect(await adjust(-2)).toEqual([0, NOW + 1, 1, NOW, NOW]);
    expect(await adjust(8)).toEqual([0, NOW + 1, 9, NOW, NOW]);
  });

  it("gives nothing back of a window that is over", async () => {
    const [, , ...granted] = await shell.evaluate("consume.lua", KEY, 1, NOW, 3, 3, 0, ...POLICY);
    const later = NOW + 60_000;
    await shell.evaluate("consume.lua", KEY, 1, later, 2, 2, 0, ...POLICY);
    expect(await shell.evaluate("adjust.lua", KEY, later, -3, ...POLICY, ...granted)).toEqual([
      0,
      later,
      2,
      later,
      later,
    ]);
  });

  it("leaves no key when nothing is used any more", async () => {
    await shell.evaluate("consume.lua", KEY, 1, NOW, 2, 2, 0, ...POLICY);
    await shell.evaluate("adjust.lua", KEY, NOW, -2, ...POLICY, -1, -1, -1);
    expect(await redis.command("EXISTS", KEY)).toBe(0);
  });
});

describe("the command lines of the README", () => {
  const debugged = shell.documented.filter((line) => line.includes("--ldb"));
  const run = shell.documented.filter((line) => !line.includes("--ldb"));
  const usual =
    run.find((line) => /--eval \S*consume\.lua/.test(line)) ??
    `redis-cli --eval lua/consume.lua '${KEY}' , 1 -1 1 1 0 ${POLICY.join(" ")}`;

  it("charge a window", async () => {
    const [taken, now, used, last] = await shell.run(usual);
    expect([taken, used, last]).toEqual([1, 1, now]);
  });

  it.each(run)("run as they stand: %s", async (line) => {
    await shell.run(usual);
    const numbers = await shell.run(line);
    expect(numbers.length).toBeGreaterThanOrEqual(4);
    expect(numbers.every(Number.isSafeInteger)).toBe(true);
  });

  it("step through the script in the debugger, which ends with the reply and leaves nothing behind", async () => {
    const line = debugged[0] ?? usual.replace("--eval", "--ldb --eval");
    const session = await shell.debug(line, "s\ns\np cost\nc\nquit\n");
    expect(session).toContain("Lua debugging session started");
    const [taken, now, used, last, since] = repliedNumbers(session);
    expect([taken, used, last, since]).toEqual([1, 1, now, now]);
    expect(session.trimEnd()).toMatch(/\(Lua debugging session ended.*\)$/);
    expect(await redis.command("DBSIZE")).toBe(0);
  });
});
