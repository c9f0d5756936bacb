import { isDeepStrictEqual } from "node:util";
import { check, START_MS } from "@sluice/algorithm-proof";
import type { CompositeDecision, Decision } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { callTraces, KEY_NAMES, traces } from "./acts.ts";
import type { Limits } from "./company.ts";
import { type Composition, compositions } from "./composition.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { allTold, told } from "./told.ts";

/** What can be taken through a trace: a composite, or what must answer like one. */
export interface Side {
  readonly limits: Limits;
  perform(operation: Operation): Promise<CompositeDecision | undefined>;
}

export interface Sides {
  readonly one: Side;
  readonly other: Side;
}

/** Two sides of one composition, by the same clock, whose stores hold nothing yet. */
export type SidesBy = (composition: Composition, clock: ManualClock) => Sides;

/**
 * Takes two sides through the same random traces and compares every field of every decision, and what each limit has
 * left for each key: after every operation, or at the end of each trace.
 *
 * @returns how many operations were compared
 * @throws {Error} at the first difference: the message shows the shortest trace found that has one
 */
export async function compareSides(
  sidesBy: SidesBy,
  { runs, look, seed }: { runs: number; look: "often" | "at the end"; seed?: number },
): Promise<number> {
  let count = 0;
  const property = fc.asyncProperty(compositions, traces, async (composition, trace) => {
    const clock = manualClock(START_MS);
    const sides = sidesBy(composition, clock);
    const log = composition.map((ingredient) => JSON.stringify(ingredient));
    for (const operation of operationsOf(composition, trace)) {
      if (operation.do === "wait") clock.advance(operation.ms);
      log.push(`at ${clock()} ${JSON.stringify(operation)}`);
      const [one, other] = [await sides.one.perform(operation), await sides.other.perform(operation)];
      compare(log, one && allTold(one), other && allTold(other));
      if (look === "often") await compareStandings(log, sides);
      count += 1;
    }
    await compareStandings(log, sides);
  });
  await check(property, runs, seed);
  return count;
}

/**
 * As {@link compareSides} where time passes by itself: `one` decides by a clock of its own, and `other` by one that is
 * set to when that was. Calls and nothing else, since a correction does not say when it was made.
 */
export async function compareByOwnClock(sidesBy: SidesBy, runs: number, seed?: number): Promise<number> {
  let count = 0;
  const property = fc.asyncProperty(compositions, callTraces, async (composition, trace) => {
    const clock = manualClock(START_MS);
    const sides = sidesBy(composition, clock);
    const log = composition.map((ingredient) => JSON.stringify(ingredient));
    for (const operation of operationsOf(composition, trace)) {
      const one = await sides.one.perform(operation);
      if (one === undefined) throw new Error("a call was not answered");
      clock.set(one.decidedAtMs);
      log.push(`at ${clock()} ${JSON.stringify(operation)}`);
      const other = await sides.other.perform(operation);
      compare(log, allTold(one), other && allTold(other));
      count += 1;
    }
  });
  await check(property, runs, seed);
  return count;
}

/** A call that was denied has changed nothing, and one that was allowed has charged each limit: that shows here. */
async function compareStandings(log: readonly string[], { one, other }: Sides): Promise<void> {
  const [onOne, onOther] = await Promise.all([standings(one), standings(other)]);
  compare(log, onOne, onOther);
}

export function standings({ limits }: Side): Promise<Decision[]> {
  const byName = [...limits.limiters].sort((one, other) => (one.name < other.name ? -1 : 1));
  const looks = byName.flatMap((limiter) => KEY_NAMES.map((key) => limiter.peek(key)));
  return Promise.all(looks.map(async (look) => told(await look)));
}

function compare(log: readonly string[], one: unknown, other: unknown): void {
  if (isDeepStrictEqual(one, other)) return;
  throw new Error([`${shown(one)}\n  is not\n  ${shown(other)}, after`, ...log].join("\n  "));
}

/** An endless wait is told as JSON has no number for it. */
function shown(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner) => (inner === Number.POSITIVE_INFINITY ? "Infinity" : inner)) ??
    "nothing"
  );
}
