import { randomUUID } from "node:crypto";
import { type Limiter, type RedisConnection, redisStore, type Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { leakyBucket, leakyBucketMeter } from "@sluice/leaky-bucket";
import { slidingWindowCounter, slidingWindowLog } from "@sluice/sliding-window";
import { describe, expect, it } from "vitest";
import { eachAlgorithm } from "../src/each-algorithm.ts";
import { useServer } from "../src/server.ts";

const BYTES_PER_NUMBER = 8;
const { connection } = await useServer();

/** A call of a script: its name, how many keys, the keys, the arguments. */
type Words = readonly string[];

/** What a limiter sends in the course of a day, whatever its prefix. */
async function sentBy(create: (store: Store) => Limiter): Promise<Words[]> {
  const prefix = randomUUID();
  const calls: Words[] = [];
  const recording: RedisConnection = {
    send(command, args) {
      const words = args.map((word) =>
        typeof word === "string" ? word : Buffer.from(word).toString("latin1"),
      );
      if (command === "EVALSHA") calls.push(words.map((word) => word.replace(prefix, "prefix")));
      return connection.send(command, args);
    },
  };
  const limiter = create(redisStore(recording, { prefix, timeoutMs: 10_000 }));
  await limiter.peek("a");
  await limiter.consume("a");
  await limiter.consume("a", { cost: 4, reserve: 1 });
  await limiter.consume("a", { cost: 9, atLeast: 2 });
  await limiter.reset("a");
  return calls;
}

eachAlgorithm(({ create, shape, fields, words }) => {
  const policy = shape(5, 3_600_000);
  const off = (store: Store): Limiter => create<string>({ ...policy, name: "off", store });
  const explicitlyOff = (store: Store): Limiter =>
    create<string>({ ...policy, name: "off", store, perKey: false, blockFor: undefined });
  const blocking = (store: Store): Limiter =>
    create<string>({ ...policy, name: "off", store, blockFor: "1m" });

  it("sends without the options what it sends with both of them off", async () => {
    const sent = await sentBy(off);
    expect(sent).toHaveLength(5);
    expect(await sentBy(explicitlyOff)).toEqual(sent);
  });

  it("sends with them off one key, the cost and the policy's numbers, and nothing else", async () => {
    const [, usual = []] = await sentBy(off);
    const [, keyCount, key, argument, ...others] = usual;
    expect([keyCount, others]).toEqual(["1", []]);
    expect(key).toMatch(/^prefix:off:[a-z]+\.1:{a}$/);
    const policyNumbers = fields.length + Object.keys(words).length;
    expect(argument).toHaveLength(BYTES_PER_NUMBER * (1 + policyNumbers));
  });

  it("sends with one that is on another key, to another script", async () => {
    const [, plain = []] = await sentBy(off);
    const [, [script, ...rest] = []] = await sentBy(blocking);
    expect(rest.slice(0, 3)).toEqual(["2", plain[2], "prefix:off:block:{a}"]);
    expect(script).not.toBe(plain[0]);
  });
});

describe("grants", () => {
  it("are for token buckets: no other limiter has them in its type, or gives them", async () => {
    const window = { name: "other", limit: 5, window: "1m" } as const;
    const level = { name: "other", capacity: 5, leak: { tokens: 5, every: "1m" } } as const;
    const refused = [
      // @ts-expect-error there are no grants
      fixedWindow(window).grant("a", 1),
      // @ts-expect-error there are no grants
      slidingWindowLog(window).grant("a", 1),
      // @ts-expect-error there are no grants
      slidingWindowCounter(window).grant("a", 1),
      // @ts-expect-error there are no grants
      leakyBucket(level).grant("a", 1),
      // @ts-expect-error there are no grants
      leakyBucketMeter(level).grant("a", 1),
    ];
    for (const grant of refused) await expect(grant).rejects.toThrow("grant() is for a token bucket");
  });
});
