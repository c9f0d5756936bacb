import type { Store } from "@sluice/core";
import type { Ask, Change, Numbers } from "@sluice/core/algorithm";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { START_MS, shift, stretchMs, unitsOf } from "./amounts.ts";
import { check } from "./check.ts";
import { type Limit, limitOf, type Outcome } from "./limit-of.ts";
import { policiesInFlight, policyOf } from "./policies-in-flight.ts";
import { type AdjustStep, type DecideStep, type Step, storeSteps } from "./store-steps.ts";
import type { Subject } from "./subject.ts";

const KEY = "one";

/** Two stores that must give the same answers, by the same clock, and hold nothing yet. */
export interface Sides {
  readonly one: Store;
  readonly other: Store;
}

/** One policy in flight. */
interface InForce {
  readonly limit: Limit;
  readonly windowMs: number;
}

interface Grant {
  readonly taken: number;
  readonly facts: Numbers;
}

/**
 * Takes two stores through the same random traces and compares every number of every answer. Several policies of one
 * limit are in flight, and the clock steps forward and back.
 *
 * @returns how many steps were taken
 * @throws {Error} at the first difference: the message shows the shortest trace found that has one
 */
export async function compareStores<Own extends object>(
  subject: Subject<Own>,
  sidesBy: (clock: ManualClock) => Sides,
  runs: number,
  seed?: number,
): Promise<number> {
  let steps = 0;
  const property = fc.asyncProperty(policiesInFlight(subject), storeSteps, async (owns, trace) => {
    const inForce = owns.map((own) => ({
      limit: limitOf(subject, own),
      windowMs: policyOf(subject, own).windowMs,
    }));
    const clock = manualClock(START_MS);
    const log = inForce.map(({ limit }, index) => `policy ${index}: ${JSON.stringify(limit.params)}`);
    try {
      await run(sidesBy(clock), clock, inForce, trace, log);
    } catch (error) {
      throw new Error([String(error), ...log].join("\n  "), { cause: error });
    }
    steps += trace.length;
  });
  await check(property, runs, seed);
  return steps;
}

/** Takes both sides through a trace, and writes down what they answer. */
async function run(
  { one, other }: Sides,
  clock: ManualClock,
  inForce: readonly InForce[],
  trace: readonly Step[],
  log: string[],
): Promise<void> {
  const grants: Grant[] = [];
  const same = (step: string, outcome: Outcome, otherOutcome: Outcome): Outcome => {
    const [numbers, otherNumbers] = [numbersOf(outcome), numbersOf(otherOutcome)];
    log.push(`${step}: ${numbers}`);
    if (numbers === otherNumbers) return outcome;
    log.push(`but the other answers: ${otherNumbers}`);
    throw new Error("the two differ");
  };
  for (const step of trace) {
    const index = step.policy % inForce.length;
    const { limit, windowMs } = inForce[index] ?? unreachable();
    if (step.do === "clock") {
      shift(clock, stretchMs(step.by, windowMs));
      log.push(`the clock is set to ${clock()}`);
    } else if (step.do === "forget") {
      await one.forget(limit, KEY, false);
      await other.forget(limit, KEY, false);
      log.push("forget");
    } else if (step.do === "decide") {
      const ask = askOf(step, limit);
      const title = `policy ${index} decides ${JSON.stringify(ask)}`;
      const outcome = await one.decide(limit, KEY, ask);
      const { taken, facts } = same(title, outcome, await other.decide(limit, KEY, ask));
      if (ask.commit && taken > 0) grants.push({ taken, facts });
    } else {
      const change = changeOf(step, limit, grants);
      const title = `policy ${index} adjusts ${JSON.stringify(change)}`;
      same(title, await one.adjust(limit, KEY, change), await other.adjust(limit, KEY, change));
    }
  }
}

/** A call as a limiter hands it to a store. */
function askOf(step: DecideStep, { limit }: Limit): Ask {
  const cost = Math.min(unitsOf(step.cost, limit), limit + 1);
  const least = Math.min(unitsOf(step.least, limit), cost);
  const reserve = Math.min(unitsOf(step.reserve, limit), limit + 1);
  return { commit: step.commit, cost, least, reserve };
}

/** A correction as a limiter hands it to a store: never to less than nothing, for a grant under any of the policies. */
function changeOf(step: AdjustStep, { limit }: Limit, grants: readonly Grant[]): Change {
  const by = unitsOf(step.by, limit);
  const grant = step.grant === null ? undefined : grants[step.grant % grants.length];
  if (grant === undefined) return { delta: step.add ? by : -Math.min(by, limit), granted: undefined };
  const delta = step.add ? by : -Math.min(by, grant.taken);
  return { delta, granted: grant.facts };
}

function numbersOf({ taken, nowMs, facts }: Outcome): string {
  return JSON.stringify([taken, nowMs, ...facts]);
}

function unreachable(): never {
  throw new Error("there is always a policy");
}
