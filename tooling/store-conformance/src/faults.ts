import type { Decision, Limiter } from "@sluice/core";
import { expect } from "vitest";
import type { StoredKey } from "./bench.ts";
import type { Check, Topic } from "./check.ts";
import { KEY, LONG_MS } from "./usage.ts";

const LIMIT = 10;
/** Bytes that make nought, parts, huge numbers, numbers below 0, and none at all, of a number of eight such. */
const FILLINGS = [0x00, 0x40, 0x78, 0xc0, 0xff];

const otherType: Check = {
  title: "answers by a StoreError, never by a denial, where a key holds something of another type",
  ofConnections: "for one",
  needs: "servers",
  async run(bench) {
    const limiter = bench.realTimeLimiter(LIMIT, LONG_MS);
    const decision = await limiter.consume(KEY, { cost: 4 });
    const { server, key } = await bench.onlyKey();
    await server.command("DEL", key);
    await server.command("RPUSH", key, "somebody else's");
    for (const ask of questions(limiter, decision)) await expectRefused(ask());
    expect(await server.command("LRANGE", key, "0", "-1")).toEqual(["somebody else's"]);
  },
};

const otherLength: Check = {
  title: "answers by a StoreError, and leaves the key alone, where its value is cut short or too long",
  needs: "servers",
  async run(bench) {
    const limiter = bench.realTimeLimiter(LIMIT, LONG_MS);
    for (const broken of ["string.sub(value, 1, 1)", "string.sub(value, 1, -2)", "value .. 'x'"]) {
      await limiter.reset(KEY);
      const decision = await limiter.consume(KEY, { cost: 4 });
      const stored = await bench.onlyKey();
      await onValue(stored, `redis.call('SET', KEYS[1], ${broken})`);
      const left = await onValue(stored, "return redis.sha1hex(value)");
      for (const ask of questions(limiter, decision)) await expectRefused(ask());
      expect(await onValue(stored, "return redis.sha1hex(value)")).toBe(left);
    }
  },
};

const otherBytes: Check = {
  title:
    "grants no more than the limit, or answers by StoreErrors, where a value is overwritten by other bytes",
  needs: "servers",
  async run(bench) {
    for (const filling of FILLINGS) {
      const limiter = bench.realTimeLimiter(LIMIT, LONG_MS);
      await limiter.consume(KEY, { cost: 4 });
      const overwritten = `string.rep('\\${filling}', #value)`;
      await onValue(await bench.onlyKey(), `redis.call('SETRANGE', KEYS[1], '0', ${overwritten})`);
      let granted = 0;
      for (let call = 0; call < 3 * LIMIT; call++) granted += await grantedOrRefused(limiter);
      expect(granted).toBeLessThanOrEqual(LIMIT);
      await limiter.reset(KEY);
    }
  },
};

const mended: Check = {
  title: "works on where a reset has cleared away what was broken",
  needs: "servers",
  async run(bench) {
    const limiter = bench.realTimeLimiter(LIMIT, LONG_MS);
    for (const broken of ["redis.call('SET', KEYS[1], 'hello')", "redis.call('RPUSH', KEYS[1], 'hello')"]) {
      await limiter.consume(KEY);
      await onValue(await bench.onlyKey(), `redis.call('DEL', KEYS[1]) ${broken}`);
      await expectRefused(limiter.consume(KEY));
      await limiter.reset(KEY);
      expect(await limiter.consume(KEY)).toMatchObject({ allowed: true, remaining: LIMIT - 1 });
    }
  },
};

/** All that is answered by what a key holds. */
function questions(limiter: Limiter, decision: Decision): readonly (() => Promise<unknown>)[] {
  return [
    () => limiter.consume(KEY),
    () => limiter.consume(KEY, { cost: LIMIT, atLeast: 1 }),
    () => limiter.consume(KEY, { cost: 0 }),
    () => limiter.peek(KEY),
    () => limiter.settle(decision, 6),
    () => limiter.refund(decision),
  ];
}

/** The server refused, so nothing was counted. */
async function expectRefused(answer: Promise<unknown>): Promise<void> {
  await expect(answer).rejects.toMatchObject({
    name: "StoreError",
    code: "ERR_SLUICE_STORE",
    mayHaveCounted: false,
    message: expect.stringContaining('limiter "proof"'),
  });
}

/** What a call is granted: nothing where it is answered by a StoreError. */
function grantedOrRefused(limiter: Limiter): Promise<number> {
  return limiter.consume(KEY).then(
    ({ taken, remaining }) => {
      expect(remaining).toBeGreaterThanOrEqual(0);
      expect(remaining).toBeLessThanOrEqual(LIMIT);
      return taken;
    },
    (error: unknown) => {
      expect(error).toMatchObject({ code: "ERR_SLUICE_STORE" });
      return 0;
    },
  );
}

/** Runs Lua on the server that holds a key, over its `value`: bytes need not be text that way. */
function onValue({ server, key }: StoredKey, lua: string): Promise<unknown> {
  return server.command("EVAL", `local value = redis.call('GET', KEYS[1]) ${lua}`, "1", key);
}

/** What a server holds is not always what the store wrote. */
export const faults: Topic = { title: "faults", checks: [otherType, otherLength, otherBytes, mended] };
