import { ioredisStore } from "@sluice/ioredis";
import type { RedisServer } from "@sluice/redis-server";
import { Redis } from "ioredis";
import type { Call } from "../case.ts";
import { ampleBucket, TIMEOUT_MS, useHalf } from "./bucket.ts";

/** A server with as many keys of a limiter as it is told, and calls for any of them. */
export interface CrowdedServer {
  /** Adds keys until there are so many. */
  fill(keys: number): Promise<void>;
  /** A decision for another key each time, all over the keys. */
  readonly decide: Call;
  /** Reads so many others of the keys in one command, and does nothing more. */
  get(count: number): Promise<unknown[]>;
  close(): void;
}

const DIGITS = 7;
const FILL_AT_ONCE = 10_000;
/** A stride through the keys that shares no factor with their number: it visits all, and never two neighbours. */
const STRIDE = 7_919;

/**
 * Copies the state of a key to others: a million calls would take a minute, and under callgrind an hour. Each look at a
 * key moves a bit of a table that is growing, which would otherwise be left to the calls that are measured.
 */
const FILL = `
local state, ttl = redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])
for i = ARGV[2], ARGV[3] do
  redis.call('SET', ARGV[1] .. string.format('%0${DIGITS}d', i) .. '}', state, 'PX', ttl)
  for _ = 1, 4 do redis.call('EXISTS', KEYS[1]) end
end`;

export async function crowdedServer(redis: RedisServer): Promise<CrowdedServer> {
  const client = new Redis(redis.url);
  const limiter = ampleBucket(ioredisStore(client, { timeoutMs: TIMEOUT_MS }));
  await useHalf(limiter, userKey(0));
  const [template = ""] = await client.keys("*");
  const prefix = template.slice(0, -DIGITS - 1);
  let keys = 1;
  let at = 0;
  const nextUser = (): string => {
    at = (at + STRIDE) % keys;
    return userKey(at);
  };
  return {
    async fill(wanted) {
      for (; keys < wanted; keys = Math.min(wanted, keys + FILL_AT_ONCE)) {
        const last = Math.min(wanted, keys + FILL_AT_ONCE) - 1;
        await client.eval(FILL, 1, template, prefix, keys, last);
      }
    },
    decide: () => limiter.consume(nextUser()),
    get: (count) =>
      client.mget(Array.from({ length: count }, () => `${prefix}${nextUser().slice(-DIGITS)}}`)),
    close: () => client.disconnect(),
  };
}

function userKey(index: number): string {
  return `user:${String(index).padStart(DIGITS, "0")}`;
}
