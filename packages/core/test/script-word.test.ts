import { expect, it } from "vitest";
import { ScriptWord } from "../src/script-word.js";
import { sha1 } from "../src/sha1.js";
import { useRedis } from "./redis.js";

const { redis, connection } = await useRedis();
const INCREMENT = "return redis.call('INCR', KEYS[1])";

it("names a script until it is struck out", async () => {
  await redis.command("SCRIPT", "LOAD", INCREMENT);
  for (const [command, word] of [
    ["EVALSHA", new ScriptWord(sha1(INCREMENT))],
    ["EVAL", new ScriptWord(INCREMENT)],
  ] as const) {
    const count = await connection.send(command, [word.bytes, "1", "a"]);
    expect(word.isStruck).toBe(false);
    word.strike();
    expect(word.isStruck).toBe(true);
    await expect(connection.send(command, [word.bytes, "1", "a"])).rejects.toThrow(/^(NOSCRIPT|ERR) /);
    expect(await redis.command("GET", "a")).toBe(String(count));
  }
});

it("shares its bytes with no other word for the same script", () => {
  const [one, other] = [new ScriptWord("x"), new ScriptWord("x")];
  one.strike();
  expect(other).toMatchObject({ isStruck: false, bytes: new TextEncoder().encode("x") });
});
