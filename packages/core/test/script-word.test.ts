import { expect, it } from "vitest";
import { ScriptWord } from "../src/script-word.js";
import { sha1 } from "../src/sha1.js";
import { useRedis } from "./redis.js";

const { redis, connection } = await useRedis();
const utf8 = new TextEncoder();
const INCREMENT = "return redis.call('INCR', KEYS[1])";

it("names a script until it is struck out", async () => {
  await redis.command("SCRIPT", "LOAD", INCREMENT);
  for (const [command, word] of [
    ["EVALSHA", new ScriptWord(utf8.encode(sha1(INCREMENT)))],
    ["EVAL", new ScriptWord(utf8.encode(INCREMENT))],
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
  const script = utf8.encode("x");
  const [one, other] = [new ScriptWord(script), new ScriptWord(script)];
  one.strike();
  expect(other).toMatchObject({ isStruck: false, bytes: utf8.encode("x") });
  expect(script).toEqual(utf8.encode("x"));
});
