import { type RedisServer, startRedis } from "@sluice/redis-server";
import { CALLGRIND, countInstructions, valgrindVersion } from "../callgrind.ts";
import { makeCalls } from "../load.ts";
import { median } from "../median.ts";
import { inRounds } from "../rounds.ts";
import { serverCpuMicroseconds } from "../server-cpu.ts";
import { type CrowdedServer, crowdedServer } from "./crowded-server.ts";

export interface KeysOptions {
  rounds: number;
  calls: number;
  /** How many keys there are, the fewest first. */
  counts: readonly number[];
  progress?(message: string): void;
}

/** What a decision costs the server where there are so many keys, in batches of 64. */
export interface KeysScale {
  keys: number;
  redisCpuMicroseconds: number;
  /** The median of each round's ratio to the fewest keys. */
  ofFewest: number;
  /** What a bare MGET costs for each key: the way to a key that lies in no cache grows for every command. */
  getMicroseconds: number;
  /** What a decision costs beyond that, as a ratio like the other. */
  beyondGetOfFewest: number;
  /** Null where they could not be counted. */
  instructions: number | null;
}

interface Sample {
  decide: number;
  get: number;
}

interface Contestant {
  keys: number;
  redis: RedisServer;
  server: CrowdedServer;
}

const CALLERS = 64;
/** Filling more takes minutes where instructions are counted. */
const COUNTED_UP_TO = 100_000;

export async function measureKeys(options: KeysOptions): Promise<KeysScale[]> {
  const instructions = await countByKeys(options);
  const contestants: Contestant[] = [];
  try {
    for (const keys of options.counts) {
      options.progress?.(`scale: ${keys} keys`);
      const redis = await startRedis();
      const server = await crowdedServer(redis);
      contestants.push({ keys, redis, server });
      await server.fill(keys);
    }
    const cpuOf = async (redis: RedisServer, work: () => Promise<void>): Promise<number> => {
      const before = await serverCpuMicroseconds(redis);
      await work();
      return ((await serverCpuMicroseconds(redis)) - before) / options.calls;
    };
    const sample = async ({ redis, server }: Contestant): Promise<Sample> => ({
      decide: await cpuOf(redis, () => makeCalls(server.decide, options.calls, CALLERS)),
      get: await cpuOf(redis, () => makeCalls(() => server.get(CALLERS), options.calls / CALLERS, 1)),
    });
    for (const contestant of contestants) await sample(contestant);
    const all = [...(await inRounds(contestants, options.rounds, sample))];
    const fewest = all[0]?.[1] ?? [];
    return all.map(([{ keys }, samples], index) => {
      const ofFewest = (of: (sample: Sample) => number): number =>
        median(samples.map((one, round) => of(one) / of(fewest[round] ?? one)));
      return {
        keys,
        redisCpuMicroseconds: median(samples.map(({ decide }) => decide)),
        ofFewest: ofFewest(({ decide }) => decide),
        getMicroseconds: median(samples.map(({ get }) => get)),
        beyondGetOfFewest: ofFewest(({ decide, get }) => decide - get),
        instructions: instructions[index] ?? null,
      };
    });
  } finally {
    for (const { redis, server } of contestants) {
      server.close();
      await redis.stop();
    }
  }
}

/** Server instructions a decision, for each number of keys; none where there is no valgrind. */
async function countByKeys({ calls, counts, progress }: KeysOptions): Promise<number[]> {
  if (valgrindVersion() === undefined) return [];
  await using redis = await startRedis({ wrapper: CALLGRIND });
  const server = await crowdedServer(redis);
  try {
    const results: number[] = [];
    for (const keys of counts.filter((count) => count <= COUNTED_UP_TO)) {
      progress?.(`scale: ${keys} keys under valgrind`);
      await server.fill(keys);
      // buffers and caches of the server are as they stay
      await makeCalls(server.decide, calls, CALLERS);
      const instructions = await countInstructions(redis, () => makeCalls(server.decide, calls, CALLERS));
      results.push(Math.round(instructions / calls));
    }
    return results;
  } finally {
    server.close();
  }
}
