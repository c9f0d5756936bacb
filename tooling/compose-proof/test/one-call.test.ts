import { compose, type Limiter, type RedisConnection, redisStore } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { leakyBucketMeter } from "@sluice/leaky-bucket";
import { slidingWindowCounter, slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";
import { expect, it } from "vitest";
import { useRedis } from "./server.ts";

const { redis, connection } = await useRedis();

/** A connection that writes down what it sends: the name of a command, and how many keys it names. */
function noted(): { sent: [command: string, keys: number][]; connection: RedisConnection } {
  const sent: [string, number][] = [];
  return {
    sent,
    connection: {
      send(command, args) {
        sent.push([command, Number(args[1])]);
        return connection.send(command, args);
      },
    },
  };
}

it("32 limits of all algorithms are decided in one call of one script", async () => {
  const { sent, connection: wire } = noted();
  const store = redisStore(wire);
  const rate = { tokens: 1, every: "30d" } as const;
  const makers = [
    (name: string) => tokenBucket({ name, capacity: 9, refill: rate, store }),
    (name: string) => fixedWindow({ name, limit: 9, window: "30d", anchor: "first", store }),
    (name: string) => slidingWindowLog({ name, limit: 9, window: "30d", store }),
    (name: string) => slidingWindowCounter({ name, limit: 9, window: "365d", store }),
    (name: string) => leakyBucketMeter({ name, capacity: 9, leak: rate, store }),
  ];
  const limits = Array.from({ length: 32 }, (_, i) => makers[i % makers.length]?.(`limit-${i}`)).flatMap(
    (limiter): Limiter[] => (limiter === undefined ? [] : [limiter]),
  );
  const composite = compose(limits);
  const key = Object.fromEntries(limits.map(({ name }, i) => [name, `user-${i % 5}`]));
  await composite.peek(key);
  sent.length = 0;
  const decision = await composite.consume(key, { cost: 2 });
  expect(sent).toEqual([["EVALSHA", 32]]);
  expect(Object.values(decision.limits).map(({ remaining }) => remaining)).toEqual(Array(32).fill(7));
  expect(await composite.consume(key, { cost: 8 })).toMatchObject({ allowed: false });
  expect(sent).toHaveLength(2);
  expect(await redis.command("DBSIZE")).toBe(32);
});

it("a composite of one limit answers as that limit alone", async () => {
  const { sent, connection: wire } = noted();
  const store = redisStore(wire);
  const limiter = tokenBucket({ name: "single", capacity: 5, refill: { tokens: 1, every: "1h" }, store });
  const { limits, ...own } = await compose([limiter]).consume("a");
  expect(limits.single).toEqual(own);
  expect(own).toMatchObject({ allowed: true, remaining: 4, name: "single", key: "a" });
  expect(await limiter.peek("a")).toMatchObject({ remaining: 4 });
  expect(sent.map(([, keys]) => keys)).toEqual(sent.map(() => 1));
});
