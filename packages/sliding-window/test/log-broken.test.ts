import { type Decision, type Limiter, redisStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { describe, expect, it } from "vitest";
import { slidingWindowLog } from "../src/index.js";
import { ENTRY_BYTES, HEADER_BYTES } from "./log-layout.js";
import { bytesOf, useRedis } from "./redis.js";

const START_MS = 1_735_689_637_123;
const WINDOW_MS = 60_000;
const LIMIT = 150;
/** So many that the next one finds no room. */
const GRANTS = 62;
const KEY = "sluice:b:log.1:{user:042}";

const { connection } = await useRedis();

/** What may be asked of a log, and how much later than its last grant. */
const CALLS: readonly [string, waitMs: number, (limiter: Limiter, decision: Decision) => Promise<unknown>][] =
  [
    ["a call that is allowed", 0, (limiter) => limiter.consume("user:042")],
    ["one that needs more room", 1, (limiter) => limiter.consume("user:042")],
    ["one that is denied", 0, (limiter) => limiter.consume("user:042", { cost: 99 })],
    ["one that costs nothing", 0, (limiter) => limiter.consume("user:042", { cost: 0 })],
    ["a look", 0, (limiter) => limiter.peek("user:042")],
    ["a refund", 0, (limiter, decision) => limiter.refund(decision)],
    ["a settlement", 0, (limiter, decision) => limiter.settle(decision, 3)],
    ["a call when some has left", WINDOW_MS - GRANTS / 2, (limiter) => limiter.consume("user:042")],
    ["a look when most has left", WINDOW_MS - 2, (limiter) => limiter.peek("user:042")],
    ["a call when all has left", WINDOW_MS, (limiter) => limiter.consume("user:042")],
  ];

/** What may have become of a string of so many bytes. */
const BREAKS: readonly [string, (bytes: Buffer) => Buffer][] = [
  ["one byte", (bytes) => bytes.subarray(0, 1)],
  ["a header cut short", (bytes) => bytes.subarray(0, HEADER_BYTES - 1)],
  ["a header alone", (bytes) => bytes.subarray(0, HEADER_BYTES)],
  ["half of its entries", (bytes) => bytes.subarray(0, HEADER_BYTES + ENTRY_BYTES * (GRANTS / 2))],
  ["half an entry too few", (bytes) => bytes.subarray(0, bytes.length - ENTRY_BYTES / 2)],
  ["an entry too many", (bytes) => Buffer.concat([bytes, Buffer.alloc(ENTRY_BYTES)])],
  ["something else", () => Buffer.from("something else")],
  ["something else, and much of it", () => Buffer.from("something else ".repeat(200))],
  ["nothing but zeros", () => Buffer.alloc(HEADER_BYTES + ENTRY_BYTES)],
];

describe.each(BREAKS)("a log of which there is %s", (_, broken) => {
  it.each(CALLS)("answers %s by a StoreError, and leaves the key as it is", async (_call, waitMs, call) => {
    const { limiter, clock, last } = await logOf(GRANTS);
    await connection.send("SET", [KEY, broken(await bytesOf(connection, KEY)), "KEEPTTL"]);
    const [bytes, expiresAtMs] = [
      await bytesOf(connection, KEY),
      await connection.send("PEXPIRETIME", [KEY]),
    ];
    clock.advance(waitMs);
    await expect(call(limiter, last)).rejects.toMatchObject({
      code: "ERR_SLUICE_STORE",
      mayHaveCounted: false,
      message: expect.stringContaining('"b"'),
    });
    expect(await bytesOf(connection, KEY)).toEqual(bytes);
    expect(await connection.send("PEXPIRETIME", [KEY])).toBe(expiresAtMs);
  });
});

it("answers by a StoreError where the key holds no string", async () => {
  const { limiter, last } = await logOf(1);
  await connection.send("DEL", [KEY]);
  await connection.send("RPUSH", [KEY, "1"]);
  for (const [, , call] of CALLS) {
    await expect(call(limiter, last)).rejects.toMatchObject({ code: "ERR_SLUICE_STORE" });
  }
  expect(await connection.send("LRANGE", [KEY, "0", "-1"])).toEqual([Buffer.from("1")]);
});

it("goes on where the string was mended, as if nothing had happened", async () => {
  const { limiter } = await logOf(GRANTS);
  const bytes = await bytesOf(connection, KEY);
  await connection.send("SET", [KEY, bytes.subarray(0, 100), "KEEPTTL"]);
  await expect(limiter.consume("user:042")).rejects.toMatchObject({ code: "ERR_SLUICE_STORE" });
  await connection.send("SET", [KEY, bytes, "KEEPTTL"]);
  expect((await limiter.consume("user:042")).remaining).toBe(LIMIT - GRANTS - 1);
});

/** A log with a grant in each of some milliseconds, the last of them now. */
async function logOf(grants: number) {
  const clock = manualClock(START_MS);
  const store = redisStore(connection, { clock, timeoutMs: 10_000 });
  const limiter = slidingWindowLog({ name: "b", limit: LIMIT, window: WINDOW_MS, store });
  const decisions = Array.from({ length: grants }, (_, ms) => {
    clock.set(START_MS + ms);
    return limiter.consume("user:042");
  });
  const last = (await Promise.all(decisions)).at(-1);
  if (last === undefined) throw new Error("nothing was granted");
  return { clock, limiter, last };
}
