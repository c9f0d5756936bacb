import { type Limiter, redisStore } from "@sluice/core";
import { connectResp, type RedisServer } from "@sluice/redis-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALGORITHMS, type AlgorithmCase } from "./algorithms.ts";
import type { Stores } from "./candidate.ts";
import { passOn } from "./pass-on.ts";
import { LONG_MS } from "./usage.ts";

const LIMIT = 5;

/** Registers what has to hold for stores whose clients were connected to a replica, which refuses writes. */
export function proveReadOnlyReplica(primary: RedisServer, replica: RedisServer, stores: Stores): void {
  const closing: (() => void)[] = [];
  afterAll(() => {
    for (const close of closing) close();
  });

  for (const [index, [name, open]] of Object.entries(stores).entries()) {
    const prefix = `replica-${index}`;
    const onReplica = open({ prefix, timeoutMs: 8_000, breaker: false });
    const limiterOn = (algorithm: AlgorithmCase, store = onReplica): Limiter =>
      algorithm.make({ name: "proof", store, limit: LIMIT, windowMs: LONG_MS });

    describe.each(ALGORITHMS)(`${name} on a replica that refuses writes: $title`, (algorithm) => {
      const limiter = limiterOn(algorithm);
      let there: Limiter;

      beforeAll(async () => {
        const connection = await connectResp(primary);
        closing.push(connection.close);
        there = limiterOn(algorithm, redisStore(connection, { prefix }));
        await primary.command("FLUSHALL");
        await there.consume("known", { cost: 3 });
        await there.consume("exhausted", { cost: LIMIT });
        await passOn(primary, replica);
      });

      it("fails where it would take or give back, counts nothing, and writes nothing", async () => {
        const before = await dumpOf(replica);
        const decision = await there.consume("known");
        await passOn(primary, replica);
        const between = await dumpOf(replica);
        expect(between).not.toEqual(before);
        for (const call of [
          () => limiter.consume("known"),
          () => limiter.consume("unknown"),
          () => limiter.consume("known", { cost: LIMIT, atLeast: 1 }),
          () => limiter.refund(decision),
          () => limiter.settle(decision, 2),
          () => limiter.reset("known"),
        ]) {
          await expect(call()).rejects.toMatchObject({
            code: "ERR_SLUICE_STORE",
            mayHaveCounted: false,
            message: expect.stringContaining("READONLY"),
          });
        }
        expect(await dumpOf(replica)).toEqual(between);
        expect(await dumpOf(primary)).toEqual(between);
        await there.refund(decision);
      });

      it("answers looks, and denies who has used up a limit, by what has arrived", async () => {
        for (const key of ["known", "exhausted", "unknown"]) {
          const [here, elsewhere] = await Promise.all([limiter.peek(key), there.peek(key)]);
          expect(here).toMatchObject({ allowed: elsewhere.allowed, remaining: elsewhere.remaining });
        }
        expect(await limiter.consume("exhausted")).toMatchObject({ allowed: false, reason: "limited" });
        expect(await limiter.consume("known", { cost: 3 })).toMatchObject({ allowed: false, remaining: 2 });
      });
    });
  }
}

/** All keys of a server and what they hold. */
async function dumpOf(server: RedisServer): Promise<Record<string, unknown>> {
  const keys = await server.command("KEYS", "*");
  const names = Array.isArray(keys) ? keys.map(String).sort() : [];
  const values = names.map(async (name) => [name, await server.command("DUMP", name)]);
  return Object.fromEntries(await Promise.all(values));
}
