// The program that sends requests: not in the process of any server, so that it takes nothing from them.
import autocannon from "autocannon";
import { obey } from "../child/obey.ts";

export interface LoadOrder {
  url: string;
  connections: number;
  requests: number;
}

export interface LoadAnswer {
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

/** It looks only so often whether it is done. */
const SAMPLE_EVERY_MS = 10;

obey(async ({ url, connections, requests }: LoadOrder): Promise<LoadAnswer> => {
  const startMs = performance.now();
  const result = await autocannon({ url, connections, amount: requests, sampleInt: SAMPLE_EVERY_MS });
  const seconds = (performance.now() - startMs) / 1_000;
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${failed} of ${requests} requests failed`);
  return { seconds, p50Ms: result.latency.p50, p99Ms: result.latency.p99 };
});
