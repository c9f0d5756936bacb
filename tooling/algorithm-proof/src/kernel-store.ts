import type { Store } from "@sluice/core";
import type { ManualClock } from "@sluice/core/testing";
import type { Limit } from "./limit-of.ts";
import { UNUSED } from "./unused.ts";

/**
 * The TypeScript kernels over a map that forgets nothing: the memory store writes by the same rules, and lets states
 * lapse besides.
 */
export function kernelStore(clock: ManualClock): Store {
  const states = new Map<string, unknown>();
  const write = (limit: Limit, key: string, state: unknown): void => {
    const id = idOf(limit, key);
    if (limit.kernel.lifeMs(state, clock(), limit.params) > 0) states.set(id, state);
    else states.delete(id);
  };
  return {
    ...UNUSED,
    decide(limit, key, ask) {
      const nowMs = clock();
      const { kernel, params } = limit;
      const verdict = kernel.decide(states.get(idOf(limit, key)), nowMs, ask, params);
      const changed = verdict.taken > 0 || (verdict.redated && verdict.taken < 0);
      if (ask.commit && changed) write(limit, key, verdict.state);
      return { taken: verdict.taken, nowMs, facts: verdict.facts };
    },
    adjust(limit, key, change) {
      const nowMs = clock();
      const { state, facts, refused } = limit.kernel.adjust(
        states.get(idOf(limit, key)),
        nowMs,
        change,
        limit.params,
      );
      if (refused) return { taken: -1, nowMs, facts };
      write(limit, key, state);
      return { taken: 0, nowMs, facts };
    },
    forget(limit, key) {
      states.delete(idOf(limit, key));
    },
  };
}

function idOf(limit: Limit, key: string): string {
  return `${limit.space}:${key}`;
}
