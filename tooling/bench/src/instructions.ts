import { type RedisServer, startRedis } from "@sluice/redis-server";
import { Redis } from "ioredis";
import { CALLGRIND, countInstructions } from "./callgrind.ts";
import type { Case } from "./case.ts";
import { casesFor } from "./cases.ts";
import { makeCalls } from "./load.ts";

export interface InstructionsOptions {
  calls: number;
  progress?(message: string): void;
}

export interface Instructions {
  case: string;
  /** Instructions of the server a call: one call at a time, and with a hundred callers on one connection. */
  oneAtATime: number;
  hundredAtOnce: number;
  atMost?: number;
}

const WARM_UP_CALLS = 200;
const KEYS = ["user:042"];

/** The server's instructions a call, its reading and writing included. Needs valgrind. */
export async function countAllInstructions(options: InstructionsOptions): Promise<Instructions[]> {
  options.progress?.("instructions: starting the server under valgrind");
  await using redis = await startRedis({ wrapper: CALLGRIND });
  const client = new Redis(redis.url);
  try {
    const results: Instructions[] = [];
    for (const subject of casesFor("instructions")) {
      options.progress?.(`instructions: ${subject.name}`);
      const atMost = subject.instructionsAtMost;
      results.push({
        case: subject.name,
        oneAtATime: await countCase(redis, client, subject, options.calls, 1),
        hundredAtOnce: await countCase(redis, client, subject, options.calls, 100),
        ...(atMost === undefined ? {} : { atMost }),
      });
    }
    return results;
  } finally {
    client.disconnect();
  }
}

async function countCase(
  redis: RedisServer,
  client: Redis,
  subject: Case,
  calls: number,
  callers: number,
): Promise<number> {
  await client.flushall();
  const call = await subject.prepare({ client, keys: KEYS, calls: WARM_UP_CALLS + calls });
  await makeCalls(call, WARM_UP_CALLS, callers);
  const instructions = await countInstructions(redis, () => makeCalls(call, calls, callers));
  return Math.round(instructions / calls);
}
