import { startRedis } from "@sluice/redis-server";
import { programAt } from "../child/program.ts";
import { median } from "../median.ts";
import { inRounds } from "../rounds.ts";
import { serverCpuMicroseconds } from "../server-cpu.ts";
import type { CallerOrder } from "./caller-process.ts";

export interface ProcessesOptions {
  rounds: number;
  /** Of all processes together. */
  calls: number;
  /** How many processes, the fewest first. */
  counts: readonly number[];
  progress?(message: string): void;
}

/** What a decision costs the server where so many processes share its limits, each with 64 callers. */
export interface ProcessesScale {
  processes: number;
  decisionsPerSecond: number;
  redisCpuMicroseconds: number;
  /** The median of each round's ratio to the fewest processes. */
  ofFewest: number;
}

interface Sample {
  decisionsPerSecond: number;
  redisCpuMicroseconds: number;
}

const CALLERS = 64;

export async function measureProcesses(options: ProcessesOptions): Promise<ProcessesScale[]> {
  const { rounds, calls, counts } = options;
  options.progress?.(`scale: ${counts.join(", ")} processes`);
  await using redis = await startRedis();
  await using program = await programAt(new URL("./caller-process.ts", import.meta.url));
  const processes = await Promise.all(
    Array.from({ length: Math.max(...counts) }, () => program.start(redis.url)),
  );
  const sample = async (count: number): Promise<Sample> => {
    const cpuBefore = await serverCpuMicroseconds(redis);
    const startMs = performance.now();
    const order: CallerOrder = { calls: Math.ceil(calls / count), callers: CALLERS };
    await Promise.all(processes.slice(0, count).map((one) => one.ask(order)));
    const seconds = (performance.now() - startMs) / 1_000;
    const decisions = order.calls * count;
    const redisCpu = (await serverCpuMicroseconds(redis)) - cpuBefore;
    return { decisionsPerSecond: decisions / seconds, redisCpuMicroseconds: redisCpu / decisions };
  };
  for (const count of counts) await sample(count);
  const all = [...(await inRounds(counts, rounds, sample))];
  const fewest = all[0]?.[1] ?? [];
  return all.map(([count, samples]) => ({
    processes: count,
    decisionsPerSecond: median(samples.map((one) => one.decisionsPerSecond)),
    redisCpuMicroseconds: median(samples.map((one) => one.redisCpuMicroseconds)),
    ofFewest: median(
      samples.map((one, round) => one.redisCpuMicroseconds / (fewest[round] ?? one).redisCpuMicroseconds),
    ),
  }));
}
