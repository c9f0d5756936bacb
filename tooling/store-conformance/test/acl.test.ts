import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, type Limiter, type RedisConnection, redisStore, StoreError } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { connectResp, type RespClient, startRedis } from "@sluice/redis-server";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/root.js";
import { ALGORITHMS, type AlgorithmCase } from "../src/algorithms.ts";

/** How servers say that a user may not use a command, or a key. */
const NO_PERMISSION = /NOPERM|permission|can't run this command/;
const MINUTE_MS = 60_000;

const redis = await startRedis();
afterAll(() => redis.stop());
beforeEach(async () => {
  await redis.command("FLUSHALL");
  await redis.command("SCRIPT", "FLUSH");
});

const opened: RespClient[] = [];
afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
});

const [user = "", ...rules] = lineOfTheGuide();
const password = rules.find((rule) => rule.startsWith(">"))?.slice(1) ?? "";
const commands = rules.filter((rule) => rule.startsWith("+")).map((rule) => rule.slice(1));
const missing = await commandsMissing();
const titled = ALGORITHMS.map((algorithm) => [algorithm.title, algorithm] as const);

/** The user and the rules of the line that the guide shows. */
function lineOfTheGuide(): string[] {
  const guide = readFileSync(join(ROOT, "docs/redis.md"), "utf8");
  const line = /^redis-cli ACL SETUSER ((?:\\\n|.)*)/m.exec(guide)?.[1] ?? "";
  return line.replaceAll(/[\\']/g, "").split(/\s+/);
}

/** Which of the commands the server does not have. */
async function commandsMissing(): Promise<string[]> {
  const known = await redis.command("COMMAND", "INFO", ...commands);
  return commands.filter((_, index) => !Array.isArray(known) || known[index] === null);
}

/** A connection of the guide's user, who may not send some of the commands. */
async function connectAsUser(...without: readonly string[]): Promise<RespClient> {
  const left = rules.filter((rule) => ![...missing, ...without].includes(rule.slice(1)));
  await redis.command("ACL", "SETUSER", user, ...left);
  const connection = await connectResp(redis);
  opened.push(connection);
  await connection.send("AUTH", [user, password]);
  return connection;
}

/** Does all that a limiter does on a server: on a new key and on one that is there, with any TTL, by any clock. */
async function useInEveryWay({ make }: AlgorithmCase, connection: RedisConnection): Promise<void> {
  const limiterBy = (clock?: Clock): Limiter =>
    make({ name: "acl", store: redisStore(connection, { clock }), limit: 10, windowMs: MINUTE_MS });
  const limiter = limiterBy();
  const onlyKey = async (): Promise<string> => String(await redis.command("KEYS", "*"));

  // new and known, allowed and denied
  const decision = await limiter.consume("a");
  await limiter.consume("a", { cost: 3 });
  await limiter.consume("a", { cost: 10 });
  await limiter.peek("a");
  await limiter.settle(decision, 4);
  // a TTL that was lost, and one that is too short
  await redis.command("PERSIST", await onlyKey());
  await limiter.consume("a");
  await redis.command("PEXPIRE", await onlyKey(), "5000");
  await limiter.consume("a", { cost: 10 });
  await limiter.reset("a");
  // nothing is left
  await limiter.refund(await limiter.consume("a"));

  // time passes, and an early grant is given back
  const clock = manualClock(Date.now());
  const timed = limiterBy(clock);
  const early = await timed.consume("b");
  for (let call = 0; call < 20; call++) {
    await timed.consume("b");
    clock.advance(MINUTE_MS / 16);
    if (call === 5) await timed.refund(early);
  }
  // the clock steps back by an hour
  clock.advance(-60 * MINUTE_MS);
  await timed.consume("b", { cost: 10 });
  await timed.consume("b");
  await timed.reset("b");
}

async function useAllInEveryWay(connection: RedisConnection): Promise<void> {
  for (const algorithm of ALGORITHMS) await useInEveryWay(algorithm, connection);
}

/** Hides from scripts that the server is 7.0 or later. */
function asBefore7(connection: RespClient): RedisConnection {
  return {
    async send(command, [script = "", ...words]) {
      if (command === "EVALSHA") throw new Error("NOSCRIPT");
      const text = typeof script === "string" ? script : Buffer.from(script).toString();
      return connection.send("EVAL", [text.replaceAll("redis.REDIS_VERSION_NUM", "nil"), ...words]);
    },
  };
}

describe("the user of the guide", () => {
  it("is given commands one by one, and one pattern of keys", () => {
    expect(rules).toEqual([
      "reset",
      "on",
      `>${password}`,
      "~sluice:*",
      ...commands.map((command) => `+${command}`),
    ]);
    expect(commands).toContain("evalsha");
  });

  it.each(titled)("may do all that %s does", async (_, algorithm) => {
    await useInEveryWay(algorithm, await connectAsUser());
  });

  it.each(titled)("needs no PEXPIRETIME for %s before Redis 7.0", async (_, algorithm) => {
    await useInEveryWay(algorithm, asBefore7(await connectAsUser("pexpiretime")));
  });

  for (const command of commands) {
    const isMissing = missing.includes(command);
    it.skipIf(isMissing)(
      `could not do without ${command}${isMissing ? " (not on this server)" : ""}`,
      async () => {
        const connection = await connectAsUser(command);
        const used = useAllInEveryWay(connection);
        await expect(used).rejects.toThrow(StoreError);
        await expect(used).rejects.toThrow(NO_PERMISSION);
      },
    );
  }

  it.each(["other", "sluice2", ""])("may not touch keys with the prefix %j", async (prefix) => {
    const store = redisStore(await connectAsUser(), { prefix });
    for (const { make } of ALGORITHMS) {
      const limiter = make({ name: "acl", store, limit: 10, windowMs: MINUTE_MS });
      for (const call of ["consume", "peek", "reset"] as const) {
        const refused = limiter[call]("a");
        await expect(refused).rejects.toThrow(NO_PERMISSION);
        await expect(refused).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: false });
      }
    }
    expect(await redis.command("DBSIZE")).toBe(0);
  });
});
