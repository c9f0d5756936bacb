import { type RedisServer, startRedis } from "@sluice/redis-server";
import { CALLGRIND, countInstructions } from "./callgrind.ts";
import type { Case } from "./case.ts";
import { casesFor } from "./cases.ts";
import { type Clients, connectClients } from "./clients.ts";
import { makeCalls } from "./load.ts";

export interface InstructionsOptions {
  calls: number;
  progress?(message: string): void;
}

export interface Instructions {
  case: string;
  /** Instructions of the server a call: one call at a time, and 64 callers on one connection, as go in a batch. */
  oneAtATime: number;
  sixtyFourAtOnce: number;
  atMost?: number;
}

const WARM_UP_CALLS = 200;
/** As many as go together where calls do. */
const BATCH = 64;
const KEYS = Array.from({ length: BATCH }, (_, index) => `user:${String(index).padStart(3, "0")}`);

/** The server's instructions a call, its reading and writing included. Needs valgrind. */
export async function countAllInstructions(options: InstructionsOptions): Promise<Instructions[]> {
  options.progress?.("instructions: starting the server under valgrind");
  await using redis = await startRedis({ wrapper: CALLGRIND });
  const clients = await connectClients(redis.url);
  try {
    const results: Instructions[] = [];
    for (const subject of casesFor("instructions")) {
      options.progress?.(`instructions: ${subject.name}`);
      const atMost = subject.instructionsAtMost;
      results.push({
        case: subject.name,
        oneAtATime: await countCase(redis, clients, subject, options.calls, 1),
        sixtyFourAtOnce: await countCase(redis, clients, subject, options.calls, BATCH),
        ...(atMost === undefined ? {} : { atMost }),
      });
    }
    return results;
  } finally {
    clients.close();
  }
}

async function countCase(
  redis: RedisServer,
  clients: Clients,
  subject: Case,
  calls: number,
  callers: number,
): Promise<number> {
  await clients.client.flushall();
  const call = await subject.prepare({ ...clients, keys: KEYS, calls: WARM_UP_CALLS + calls });
  await makeCalls(call, WARM_UP_CALLS, callers);
  const instructions = await countInstructions(redis, () => makeCalls(call, calls, callers));
  return Math.round(instructions / calls);
}
