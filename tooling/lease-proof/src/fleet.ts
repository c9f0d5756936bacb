import {
  type Leasable,
  type LeasedLimiter,
  type LeaseOptions,
  leased,
  memoryStore,
  type Store,
} from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { vi } from "vitest";
import { PROCESSES } from "./demand.ts";
import { slowStore } from "./slow-store.ts";

/** What happens to a fleet of processes. */
export type Act =
  | { readonly do: "call"; readonly process: number; readonly cost: number; readonly times: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "close"; readonly process: number }
  | { readonly do: "crash"; readonly process: number };

/** Units that were granted, and when, in the time of the store. */
export interface Granted {
  readonly atMs: number;
  readonly units: number;
}

/** Random acts of a fleet; `waitMs` is the longest wait between two of them. */
export function acts(waitMs: number): fc.Arbitrary<Act[]> {
  const process = fc.nat({ max: PROCESSES - 1 });
  const call = fc.record({
    do: fc.constant("call" as const),
    process,
    cost: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 4 })),
    times: fc.integer({ min: 1, max: 12 }),
  });
  return fc.array(
    fc.oneof(
      { weight: 12, arbitrary: call },
      { weight: 4, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat({ max: waitMs }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("close" as const), process }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const), process }) },
    ),
    { minLength: 10, maxLength: 120 },
  );
}

/**
 * What a fleet grants whose processes lease from one limit, in a time that only these acts make pass. Fake timers must be
 * on. Who closed or crashed starts again.
 */
export async function grantedBy(
  make: (store: Store) => Leasable<string>,
  options: LeaseOptions,
  happens: readonly Act[],
  delayMs: () => number,
): Promise<Granted[]> {
  const startMs = 1_000_000;
  const clock = manualClock(startMs);
  const kept = memoryStore({ clock });
  const granted: Granted[] = [];
  const start = (): LeasedLimiter<string> =>
    leased(make(slowStore(kept, () => ({ thereMs: delayMs(), backMs: delayMs() }))), options);
  const fleet = Array.from({ length: PROCESSES }, start);
  const pass = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs++) {
      clock.advance(1);
      await vi.advanceTimersByTimeAsync(1);
    }
  };
  for (const act of happens) {
    if (act.do === "wait") {
      await pass(act.ms);
      continue;
    }
    const limiter = fleet[act.process];
    if (limiter === undefined) continue;
    if (act.do === "call") {
      for (let time = 0; time < act.times; time++) {
        void limiter.consume("one", { cost: act.cost }).then((decision) => {
          if (decision.allowed) granted.push({ atMs: decision.decidedAtMs, units: decision.taken });
        });
      }
    } else {
      if (act.do === "close") void limiter.close();
      fleet[act.process] = start();
    }
    await vi.advanceTimersByTimeAsync(0);
  }
  await pass(200);
  return granted;
}
