import { type RedisServer, startRedis } from "@sluice/redis-server";
import type { ClientName } from "../case.ts";
import type { Child } from "../child/child.ts";
import { programAt } from "../child/program.ts";
import { type Cost, medianCost, medianRatios } from "../cost.ts";
import { inRounds } from "../rounds.ts";
import { serverCpuMicroseconds } from "../server-cpu.ts";
import { HTTP_CASES, type HttpCase, NO_LIMITER, titleOf } from "./cases.ts";
import type { LoadAnswer, LoadOrder } from "./load-process.ts";

export interface HttpOptions {
  rounds: number;
  connections: number;
  /** Requests in one round of one case. */
  requests: number;
  progress?(message: string): void;
}

/** Medians over the rounds; a decision is a request, and the client of Redis is the server of HTTP. */
export interface Http extends Cost {
  case: string;
  client: ClientName | null;
  connections: number;
  /** Ratios to the server without a limiter, and to rate-limiter-flexible on the same client. */
  ofNone: Cost;
  ofPeer: Cost;
}

interface Contestant {
  subject: HttpCase;
  server: Child;
  url: string;
}

/** What a limiter costs a server of HTTP; load and servers have processes of their own, and one server works at a time. */
export async function measureHttp(options: HttpOptions): Promise<Http[]> {
  const { rounds, connections, requests } = options;
  options.progress?.(`http: ${connections} connections, ${rounds} rounds`);
  await using redis = await startRedis();
  await using serverProgram = await programAt(new URL("./server-process.ts", import.meta.url));
  await using loadProgram = await programAt(new URL("./load-process.ts", import.meta.url));
  const load = await loadProgram.start();
  const starting = HTTP_CASES.map(async (subject): Promise<Contestant> => {
    const server = await serverProgram.start(titleOf(subject), redis.url);
    return { subject, server, url: `http://127.0.0.1:${await server.ask<number>("listen")}` };
  });
  const contestants = await Promise.all(starting);
  const sample = ({ server, url }: Contestant): Promise<Cost> =>
    sampleCost(redis, server, load, { url, connections, requests });
  for (const contestant of contestants) await sample(contestant);
  return summarise(await inRounds(contestants, rounds, sample), connections);
}

async function sampleCost(redis: RedisServer, server: Child, load: Child, order: LoadOrder): Promise<Cost> {
  const redisCpuBefore = await serverCpuMicroseconds(redis);
  const cpuBefore = await server.ask<number>("cpu");
  const { seconds, p50Ms, p99Ms } = await load.ask<LoadAnswer>(order);
  const cpu = (await server.ask<number>("cpu")) - cpuBefore;
  const redisCpu = (await serverCpuMicroseconds(redis)) - redisCpuBefore;
  return {
    decisionsPerSecond: order.requests / seconds,
    clientCpuMicroseconds: cpu / order.requests,
    redisCpuMicroseconds: redisCpu / order.requests,
    p50Ms,
    p99Ms,
  };
}

function summarise(all: ReadonlyMap<Contestant, Cost[]>, connections: number): Http[] {
  const samplesOf = (isWanted: (subject: HttpCase) => boolean): Cost[] =>
    [...all].find(([{ subject }]) => isWanted(subject))?.[1] ?? [];
  return [...all].map(([{ subject }, samples]) => {
    const { name, by = null } = subject;
    return {
      case: name,
      client: by,
      connections,
      ...medianCost(samples),
      ofNone: medianRatios(
        samples,
        samplesOf((one) => one === NO_LIMITER),
      ),
      ofPeer: medianRatios(
        samples,
        samplesOf((one) => one.isPeer === true && one.by === (by ?? "ioredis")),
      ),
    };
  });
}
