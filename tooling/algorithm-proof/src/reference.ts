import { type Decision, memoryStore } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { Actor } from "./actor.ts";
import { START_MS } from "./amounts.ts";
import { check } from "./check.ts";
import type { Model, ModelAnswer } from "./model.ts";
import type { Subject } from "./subject.ts";
import { anyTraffic, type Operation, operationsOf } from "./traffic.ts";

const LOOK = { cost: 1, atLeast: 1, reserve: 0 };

/**
 * Takes a limiter in memory and the algorithm's model through the same random traffic, and compares what they answer.
 *
 * @returns how many operations were carried out
 * @throws {Error} at the first difference: the message shows the shortest trace found that has one
 */
export async function compareWithModel<Own extends object>(
  subject: Subject<Own>,
  runs: number,
  seed?: number,
): Promise<number> {
  let count = 0;
  const property = fc.asyncProperty(subject.policies, anyTraffic, async (own, traffic) => {
    const clock = manualClock(START_MS);
    const limiter = subject.create({ ...own, name: "proof", store: memoryStore({ clock }) });
    const model = subject.model(own);
    const actor = new Actor(limiter, clock);
    const log: string[] = [];
    for (const operation of operationsOf(traffic, limiter.policy)) {
      const decision = await actor.perform(operation);
      const expected = expectedOf(
        model,
        clock(),
        operation,
        operation.do === "settle" && decision === undefined,
      );
      // a correction is seen in what it leaves behind
      const correction = operation.do === "refund" || operation.do === "settle";
      const answer = answerOf(correction ? await limiter.peek(actor.key) : decision);
      const [got, wanted] = [JSON.stringify(answer), JSON.stringify(expected)];
      log.push(`at ${clock()} ${JSON.stringify(operation)}: ${got}`);
      if (got !== wanted) throw new Error([`the model answers ${wanted}:`, ...log].join("\n  "));
      count += 1;
    }
  });
  await check(property, runs, seed);
  return count;
}

function expectedOf(
  model: Model,
  nowMs: number,
  operation: Operation,
  refused: boolean,
): ModelAnswer | undefined {
  switch (operation.do) {
    case "consume":
      return told(model.consume(nowMs, operation, operation.call));
    case "peek":
      return told(model.peek(nowMs, operation));
    case "refund":
      model.refund(nowMs, operation.call);
      return told(model.peek(nowMs, LOOK));
    case "settle":
      if (model.settle(nowMs, operation.call, operation.actualCost) === refused) {
        throw new Error(
          `only one of limiter and model refuses ${JSON.stringify(operation)} as too large a debt`,
        );
      }
      return told(model.peek(nowMs, LOOK));
    case "reset":
      model.reset();
      return undefined;
    case "wait":
      return undefined;
  }
}

function answerOf(decision: Decision | undefined): ModelAnswer | undefined {
  return decision && told(decision);
}

/** The fields that are compared, in one order. An endless wait is told as JSON has no number for it. */
function told(answer: ModelAnswer): ModelAnswer {
  const { allowed, taken, remaining, retryAfterMs, resetAfterMs, delayMs } = answer;
  return { allowed, taken, remaining, retryAfterMs, resetAfterMs, delayMs };
}
