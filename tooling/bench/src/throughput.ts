import { type RedisServer, startRedis } from "@sluice/redis-server";
import type { Call, Case, ClientName } from "./case.ts";
import { BASELINES, casesFor, PEERS } from "./cases.ts";
import { type Clients, connectClients } from "./clients.ts";
import { type Cost, medianCost, medianRatios } from "./cost.ts";
import { quantile, timeCalls } from "./load.ts";
import { inRounds } from "./rounds.ts";
import { serverCpuMicroseconds } from "./server-cpu.ts";

export interface ThroughputOptions {
  rounds: number;
  /** Calls in one round of one case, for each number of callers. */
  load: readonly { callers: number; calls: number }[];
  progress?(message: string): void;
}

/** Medians over the rounds. */
export interface Throughput extends Cost {
  case: string;
  client: ClientName;
  callers: number;
  /** Medians of each round's ratio to the bare EVALSHA, and to rate-limiter-flexible, of the same client and round. */
  ofBare: Cost;
  ofPeer: Cost;
}

interface Contestant {
  subject: Case;
  call: Call;
}

const KEYS = Array.from({ length: 1_000 }, (_, index) => `user:${String(index).padStart(3, "0")}`);

/** What a decision costs, all cases on one server and one client of each kind. */
export async function measureThroughput(options: ThroughputOptions): Promise<Throughput[]> {
  await using redis = await startRedis();
  const clients = await connectClients(redis.url);
  try {
    const results: Throughput[] = [];
    for (const { callers, calls } of options.load) {
      options.progress?.(`throughput: ${callers} at once, ${options.rounds} rounds`);
      await clients.client.flushall();
      const contestants = await prepareAll(clients, calls * (options.rounds + 1));
      const sample = ({ call }: Contestant): Promise<Cost> => sampleCost(redis, call, calls, callers);
      for (const contestant of contestants) await sample(contestant);
      results.push(...summarise(await inRounds(contestants, options.rounds, sample), callers));
    }
    return results;
  } finally {
    clients.close();
  }
}

async function prepareAll(clients: Clients, calls: number): Promise<Contestant[]> {
  const contestants: Contestant[] = [];
  for (const subject of casesFor("throughput")) {
    contestants.push({ subject, call: await subject.prepare({ ...clients, keys: KEYS, calls }) });
  }
  return contestants;
}

async function sampleCost(redis: RedisServer, call: Call, calls: number, callers: number): Promise<Cost> {
  const redisCpuBefore = await serverCpuMicroseconds(redis);
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const tookMs = await timeCalls(call, calls, callers);
  const allMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  const redisCpu = (await serverCpuMicroseconds(redis)) - redisCpuBefore;
  return {
    decisionsPerSecond: (calls / allMs) * 1_000,
    clientCpuMicroseconds: (user + system) / calls,
    redisCpuMicroseconds: redisCpu / calls,
    p50Ms: quantile(tookMs, 0.5),
    p99Ms: quantile(tookMs, 0.99),
  };
}

function summarise(all: ReadonlyMap<Contestant, Cost[]>, callers: number): Throughput[] {
  const samplesOf = (subject: Case): Cost[] => {
    const found = [...all].find(([contestant]) => contestant.subject === subject);
    if (found === undefined) throw new Error(`${subject.name} was not measured`);
    return found[1];
  };
  return [...all].map(([{ subject }, samples]) => {
    const client = subject.by ?? "ioredis";
    return {
      case: subject.name,
      client,
      callers,
      ...medianCost(samples),
      ofBare: medianRatios(samples, samplesOf(BASELINES[client])),
      ofPeer: medianRatios(samples, samplesOf(PEERS[client])),
    };
  });
}
