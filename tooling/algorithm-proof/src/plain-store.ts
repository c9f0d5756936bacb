import type { Store } from "@sluice/core";
import { scriptsOf } from "@sluice/core/algorithm";
import type { ManualClock } from "@sluice/core/testing";
import type { RespClient } from "@sluice/redis-server";
import type { Limit, Outcome } from "./limit-of.ts";
import { UNUSED } from "./unused.ts";

/** A store that calls the scripts as a person does: an argument a number, as text, answered in plain numbers. */
export function plainStore(connection: RespClient, prefix: string, clock: ManualClock): Store {
  const keyOf = (limit: Limit, key: string): string => `${prefix}:${limit.space}:{${key}}`;
  const run = async (script: string, key: string, numbers: readonly number[]): Promise<Outcome> => {
    return outcomeOf(await connection.send("EVAL", [script, "1", key, ...numbers.map(String)]));
  };
  return {
    ...UNUSED,
    decide(limit, key, { commit, cost, least, reserve }) {
      const numbers = [commit ? 1 : 0, clock(), cost, least, reserve, ...limit.params];
      return run(scriptsOf(limit.kernel).consume.text, keyOf(limit, key), numbers);
    },
    adjust(limit, key, { delta, granted }) {
      const numbers = [
        clock(),
        delta,
        ...limit.params,
        ...(granted ?? (limit.kernel.facts ?? limit.kernel.state).map(() => -1)),
      ];
      return run(scriptsOf(limit.kernel).adjust.text, keyOf(limit, key), numbers);
    },
    async forget(limit, key) {
      await connection.send("DEL", [keyOf(limit, key)]);
    },
  };
}

function outcomeOf(reply: unknown): Outcome {
  if (Array.isArray(reply) && reply.every((number) => typeof number === "number")) {
    const [taken, nowMs, ...facts] = reply;
    if (taken !== undefined && nowMs !== undefined) return { taken, nowMs, facts };
  }
  throw new Error(`plain numbers were expected, got ${JSON.stringify(reply)}`);
}
