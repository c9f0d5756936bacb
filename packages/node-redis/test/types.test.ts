import {
  createClient,
  createCluster,
  createSentinel,
  defineScript,
  type RedisClientType,
  type RedisClusterType,
  type RedisSentinelType,
} from "redis";
import {
  createClient as createClient5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
  type RedisClientType as RedisClientType5,
  type RedisClusterType as RedisClusterType5,
  type RedisSentinelType as RedisSentinelType5,
} from "redis-5";
import { expect, expectTypeOf, it } from "vitest";
import { nodeRedisStore } from "../src/index.js";

// One client an expression: where two of them meet in one list the compiler compares all that they can do.
const sentinel = { name: "main", sentinelRootNodes: [{ host: "127.0.0.1", port: 1 }] };
const cluster = { rootNodes: [{ url: "redis://127.0.0.1:1" }] };

it("takes the clients of both majors without a cast", () => {
  const stores = [
    nodeRedisStore(createClient()),
    nodeRedisStore(createClient({ RESP: 2 })),
    nodeRedisStore(createClient({ RESP: 3 })),
    nodeRedisStore(createClient5()),
    nodeRedisStore(createClient5({ RESP: 3 })),
    nodeRedisStore(createCluster(cluster)),
    nodeRedisStore(createCluster({ ...cluster, RESP: 2 })),
    nodeRedisStore(createCluster5(cluster)),
    nodeRedisStore(createCluster5({ ...cluster, RESP: 3 })),
    nodeRedisStore(createSentinel(sentinel)),
    nodeRedisStore(createSentinel({ ...sentinel, RESP: 2 })),
    nodeRedisStore(createSentinel5(sentinel)),
    nodeRedisStore(createSentinel5({ ...sentinel, RESP: 3 })),
  ];
  for (const store of stores) expect(store.health().state).toBe("closed");
});

it("takes them by the types that node-redis has for them", () => {
  type Taken = Parameters<typeof nodeRedisStore>[0];
  expectTypeOf<RedisClientType>().toExtend<Taken>();
  expectTypeOf<RedisClientType5>().toExtend<Taken>();
  expectTypeOf<RedisClusterType>().toExtend<Taken>();
  expectTypeOf<RedisClusterType5>().toExtend<Taken>();
  expectTypeOf<RedisSentinelType>().toExtend<Taken>();
  expectTypeOf<RedisSentinelType5>().toExtend<Taken>();
  expectTypeOf<{ sendCommand(words: string[]): Promise<unknown> }>().not.toExtend<Taken>();
});

it("takes clients with scripts of their users", () => {
  const double = defineScript({
    SCRIPT: "return 2 * ARGV[1]",
    NUMBER_OF_KEYS: 0,
    parseCommand: (parser, value: number) => parser.push(String(value)),
    transformReply: (reply: number) => reply,
  });
  const scripts = { double };
  const stores = [
    nodeRedisStore(createClient({ scripts })),
    nodeRedisStore(createCluster({ ...cluster, scripts })),
    nodeRedisStore(createSentinel({ ...sentinel, scripts })),
  ];
  for (const store of stores) expect(store.health().state).toBe("closed");
});
