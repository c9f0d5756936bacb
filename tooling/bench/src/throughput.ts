import { startRedis } from "@sluice/redis-server";
import { Redis } from "ioredis";
import type { Call, Case } from "./case.ts";
import { BASELINE, casesFor } from "./cases.ts";
import { makeCalls } from "./load.ts";
import { median } from "./median.ts";

export interface ThroughputOptions {
  rounds: number;
  /** Calls in one round of one case, for each number of callers. */
  load: readonly { callers: number; calls: number }[];
  progress?(message: string): void;
}

export interface Throughput {
  case: string;
  callers: number;
  /** Medians over the rounds. */
  decisionsPerSecond: number;
  clientCpuMicroseconds: number;
  /** Medians of each round's ratio to the bare EVALSHA of that round. */
  speedRatio: number;
  clientCpuRatio: number;
}

interface Sample {
  decisionsPerSecond: number;
  clientCpuMicroseconds: number;
}

interface Contestant {
  subject: Case;
  call: Call;
  samples: Sample[];
}

const KEYS = Array.from({ length: 1_000 }, (_, index) => `user:${String(index).padStart(3, "0")}`);

/**
 * Decisions a second and client CPU a decision, all cases on one server and one client. Every round runs every case,
 * in an order that alternates, so that whatever else the machine does meets all of them alike.
 */
export async function measureThroughput(options: ThroughputOptions): Promise<Throughput[]> {
  await using redis = await startRedis();
  const client = new Redis(redis.url);
  try {
    const results: Throughput[] = [];
    for (const { callers, calls } of options.load) {
      options.progress?.(`throughput: ${callers} at once, ${options.rounds} rounds`);
      await client.flushall();
      const contestants = await prepareAll(client, calls * (options.rounds + 1));
      for (const { call } of contestants) await makeCalls(call, calls, callers);
      for (let round = 0; round < options.rounds; round += 1) {
        for (const { call, samples } of inOrder(contestants, round))
          samples.push(await sample(call, calls, callers));
      }
      results.push(...summarise(contestants, callers));
    }
    return results;
  } finally {
    client.disconnect();
  }
}

async function prepareAll(client: Redis, calls: number): Promise<Contestant[]> {
  const contestants: Contestant[] = [];
  for (const subject of casesFor("throughput")) {
    contestants.push({ subject, call: await subject.prepare({ client, keys: KEYS, calls }), samples: [] });
  }
  return contestants;
}

/** Another order every round: whoever comes first or last, or after whom, has no share in the medians. */
function inOrder<T>(items: readonly T[], round: number): readonly T[] {
  const first = round % items.length;
  const turned = [...items.slice(first), ...items.slice(0, first)];
  return round % 2 === 0 ? turned : turned.reverse();
}

async function sample(call: Call, calls: number, callers: number): Promise<Sample> {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  await makeCalls(call, calls, callers);
  const tookMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { decisionsPerSecond: (calls / tookMs) * 1_000, clientCpuMicroseconds: (user + system) / calls };
}

function summarise(contestants: readonly Contestant[], callers: number): Throughput[] {
  const baseline = contestants.find(({ subject }) => subject === BASELINE);
  if (baseline === undefined) throw new Error(`${BASELINE.name} was not measured`);
  return contestants.map(({ subject, samples }) => {
    const ratio = (of: (sample: Sample) => number): number =>
      median(samples.map((one, round) => of(one) / of(baseline.samples[round] ?? one)));
    const middle = (of: (sample: Sample) => number): number => median(samples.map(of));
    return {
      case: subject.name,
      callers,
      decisionsPerSecond: middle(speed),
      clientCpuMicroseconds: middle(cpu),
      speedRatio: ratio(speed),
      clientCpuRatio: ratio(cpu),
    };
  });
}

function speed(sample: Sample): number {
  return sample.decisionsPerSecond;
}

function cpu(sample: Sample): number {
  return sample.clientCpuMicroseconds;
}
