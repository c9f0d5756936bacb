import { join } from "node:path";
import { repliedNumbers, ScriptShell } from "@sluice/algorithm-proof";
import { type RedisServer, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

/** A moment that is told, so that the replies are known. */
const NOW = 1_735_689_600_000;

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

// 4 units a second: a unit has 250 parts, of which a millisecond takes one; 4 units fit
describe.each([
  { kind: "queue", key: "sluice:crawl:queue.1:{example.org}", policy: [1_000, 1, 250] },
  { kind: "meter", key: "sluice:search:meter.1:{user:42}", policy: [1_000, 1, 250] },
])("the $kind", ({ kind, key, policy }) => {
  const ask = (...numbers: number[]) => shell.evaluate(`${kind}/consume.lua`, key, ...numbers, ...policy);
  const consume = (mode: 0 | 1, cost: number, nowMs = NOW) => ask(mode, nowMs, cost, cost, 0);
  const adjust = (nowMs: number, delta: number, granted: readonly number[]) =>
    shell.evaluate(`${kind}/adjust.lua`, key, nowMs, delta, ...policy, ...granted);

  describe("consume.lua by redis-cli --eval", () => {
    it("grants, then denies, then looks", async () => {
      expect(await consume(1, 3)).toEqual([3, NOW, 750, NOW, 250]);
      expect(await consume(1, 2, NOW + 1)).toEqual([-1, NOW + 1, 749, NOW + 1, 250]);
      expect(await consume(0, 1, NOW + 1)).toEqual([1, NOW + 1, 749, NOW + 1, 250]);
      expect(await consume(1, 2, NOW + 250)).toEqual([2, NOW + 250, 1_000, NOW + 250, 250]);
    });

    it("goes by the server's clock where it is told -1", async () => {
      const before = Date.now();
      const [taken, now = 0, used, dated] = await ask(1, -1, 1, 1, 0);
      expect([taken, used, dated]).toEqual([1, 250, now]);
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(Date.now());
    });

    it("takes fewer where fewer will do, and leaves what is reserved", async () => {
      expect((await ask(1, NOW, 50, 1, 0))[0]).toBe(4);
      await redis.command("FLUSHALL");
      expect((await ask(1, NOW, 50, 1, 3))[0]).toBe(1);
    });

    it("gives the key a TTL", async () => {
      await consume(1, 4);
      const ttlMs = Number(await redis.command("PTTL", key));
      expect(ttlMs).toBeGreaterThan(1_000);
      expect(ttlMs).toBeLessThanOrEqual(3_000);
    });

    it("refuses a key that holds something else", async () => {
      await redis.command("SET", key, "something else");
      await expect(consume(1, 1)).rejects.toThrow("SLUICESTATE");
    });
  });

  describe("adjust.lua by redis-cli --eval", () => {
    it("gives back what has not leaked since, then takes more than there is", async () => {
      const [, , ...granted] = await consume(1, 3);
      expect(await adjust(NOW + 250, -2, granted)).toEqual([0, NOW + 250, 0, NOW + 250, 250]);
      const [, , ...again] = await consume(1, 3, NOW + 250);
      expect(await adjust(NOW + 250, 5, again)).toEqual([0, NOW + 250, 2_000, NOW + 250, 250]);
    });

    it("leaves no key when nothing is used any more", async () => {
      await consume(1, 2);
      await adjust(NOW, -2, [-1, -1, -1]);
      expect(await redis.command("EXISTS", key)).toBe(0);
    });

    it(`gives ${kind === "queue" ? "nothing" : "it"} back when somebody came later`, async () => {
      const [, , ...granted] = await consume(1, 2);
      await consume(1, 1);
      const [, , used] = await adjust(NOW, -2, granted);
      expect(used).toBe(kind === "queue" ? 750 : 250);
    });
  });

  describe("the command lines of the README", () => {
    const documented = shell.documented.filter((line) => line.includes(`${kind}.1:`));
    const run = documented.filter((line) => !line.includes("--ldb"));
    const usual =
      run.find((line) => /--eval \S*consume\.lua/.test(line)) ??
      `redis-cli --eval lua/${kind}/consume.lua '${key}' , 1 -1 1 1 0 ${policy.join(" ")}`;

    it("charge a unit", async () => {
      const [taken, now, used, dated] = await shell.run(usual);
      expect([taken, used, dated]).toEqual([1, 250, now]);
    });

    it.each(run)("run as they stand: %s", async (line) => {
      await shell.run(usual);
      const numbers = await shell.run(line);
      expect(numbers.length).toBeGreaterThanOrEqual(4);
      expect(numbers.every(Number.isSafeInteger)).toBe(true);
    });

    it("step through the script in the debugger, which ends with the reply and leaves nothing behind", async () => {
      const line = documented.find((one) => one.includes("--ldb")) ?? usual.replace("--eval", "--ldb --eval");
      const session = await shell.debug(line, "s\ns\np cost\nc\nquit\n");
      expect(session).toContain("Lua debugging session started");
      const [taken, now, used, dated, measure] = repliedNumbers(session);
      expect([taken, used, dated, measure]).toEqual([1, 250, now, 250]);
      expect(session.trimEnd()).toMatch(/\(Lua debugging session ended.*\)$/);
      expect(await redis.command("DBSIZE")).toBe(0);
    });
  });
});
