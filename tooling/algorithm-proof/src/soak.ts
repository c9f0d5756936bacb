import { connectResp, startRedis } from "@sluice/redis-server";
import { anySeed } from "./check.ts";
import { compareKernels, comparePlainArguments } from "./differential.ts";
import { compareWithModel } from "./reference.ts";
import type { Subject } from "./subject.ts";

const TRACES_A_ROUND = 100;

/** What a soak has looked at. */
export interface Soaked {
  /** Steps in which both kernels were compared. */
  readonly steps: number;
  /** Operations that were compared with the model. */
  readonly operations: number;
}

/**
 * Compares both kernels of an algorithm with one another and with its model, each round by another seed.
 *
 * @param untilMs when it ends, by `Date.now()`; `Infinity` to go on until stopped
 * @param report is told after each round how far it has come
 * @throws {Error} at the first difference: the message shows the trace, and the seed that found it
 */
export async function soak<Own extends object>(
  subject: Subject<Own>,
  { untilMs, report }: { untilMs: number; report?: (soaked: Soaked) => void },
): Promise<Soaked> {
  const redis = await startRedis();
  const connection = await connectResp(redis);
  let soaked: Soaked = { steps: 0, operations: 0 };
  try {
    while (Date.now() < untilMs) {
      const seed = anySeed();
      const steps =
        (await compareKernels(subject, connection, TRACES_A_ROUND, seed)) +
        (await comparePlainArguments(subject, connection, 1, seed));
      const operations = await compareWithModel(subject, TRACES_A_ROUND, seed);
      soaked = { steps: soaked.steps + steps, operations: soaked.operations + operations };
      report?.(soaked);
    }
  } finally {
    connection.close();
    await redis.stop();
  }
  return soaked;
}
