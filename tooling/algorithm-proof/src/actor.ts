import type { Decision, Limiter } from "@sluice/core";
import type { ManualClock } from "@sluice/core/testing";
import { shift } from "./amounts.ts";
import { settleIfCountable } from "./settle.ts";
import { type Operation, operationsOf, type Traffic } from "./traffic.ts";

/** Carries operations out on one key of a limiter, and keeps the last word on each call for its correction. */
export class Actor {
  readonly limiter: Limiter;
  readonly key: string;
  readonly #clock: ManualClock;
  readonly #decisions = new Map<number, Decision>();

  constructor(limiter: Limiter, clock: ManualClock, key = "key") {
    this.limiter = limiter;
    this.key = key;
    this.#clock = clock;
  }

  /** Lets traffic pass as it comes to under this limiter's policy; returns what was decided last. */
  async pass(traffic: Traffic): Promise<Decision | undefined> {
    let last: Decision | undefined;
    for (const operation of operationsOf(traffic, this.limiter.policy)) {
      last = (await this.perform(operation)) ?? last;
    }
    return last;
  }

  /**
   * The Decision of a call or a settlement, if it was one and was not refused.
   *
   * @param limiter another one of the same name and store: the policy has changed
   */
  async perform(operation: Operation, limiter: Limiter = this.limiter): Promise<Decision | undefined> {
    if (operation.do === "wait") {
      shift(this.#clock, operation.ms);
      return undefined;
    }
    if (operation.do === "reset") {
      await limiter.reset(this.key);
      return undefined;
    }
    if (operation.do === "peek") {
      const { cost, reserve } = operation;
      return limiter.peek(this.key, { cost, reserve });
    }
    if (operation.do === "consume") {
      const { cost, atLeast, reserve } = operation;
      return this.#keep(operation.call, await limiter.consume(this.key, { cost, atLeast, reserve }));
    }
    const decision = this.#decisions.get(operation.call);
    if (decision === undefined) throw new Error(`call ${operation.call} was not made`);
    if (operation.do === "settle") {
      const settled = await settleIfCountable(limiter, decision, operation.actualCost);
      return settled && this.#keep(operation.call, settled);
    }
    await limiter.refund(decision);
    return undefined;
  }

  #keep(call: number, decision: Decision): Decision {
    this.#decisions.set(call, decision);
    return decision;
  }
}
