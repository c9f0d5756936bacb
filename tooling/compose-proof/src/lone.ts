import type { CompositeDecision, Decision, Limiter, Store } from "@sluice/core";
import { Limits } from "./company.ts";
import type { Composition } from "./composition.ts";
import type { Call, Operation } from "./operations.ts";

/**
 * What all-or-nothing means, said with limiters that know nothing of one another: a call is looked at on each, and
 * only if each allows it, made on each.
 */
export class LoneLimits {
  readonly limits: Limits;
  readonly #decisions: (readonly Decision[])[] = [];

  constructor(composition: Composition, store: Store) {
    this.limits = new Limits(composition, store);
  }

  /** What the composite must answer. */
  async perform(operation: Operation): Promise<CompositeDecision | undefined> {
    switch (operation.do) {
      case "consume": {
        const decisions = await this.#consume(operation);
        this.#decisions.push(decisions);
        return asOne(decisions);
      }
      case "peek":
        return asOne(await this.#peek(operation));
      case "refund": {
        const decisions = this.#standing(operation.call);
        await this.#each((limiter, i) => limiter.refund(at(decisions, i)));
        return undefined;
      }
      case "settle": {
        const decisions = this.#standing(operation.call);
        const settled = await this.#each((limiter, i) =>
          limiter.settle(at(decisions, i), at(operation.parts, i)),
        );
        this.#decisions[operation.call] = settled;
        return asOne(settled);
      }
      case "reset":
        await this.#each((limiter, i) => limiter.reset(at(operation.parts, i)));
        return undefined;
      case "replace":
        await this.limits.replace(operation.name, operation.shape);
        return undefined;
      case "set":
        await this.limits.set(operation.name, operation.key, operation.shape);
        return undefined;
      case "wait":
        return undefined;
    }
  }

  #peek({ parts }: Call): Promise<Decision[]> {
    return this.#each((limiter, i) => {
      const { key, cost, reserve } = at(parts, i);
      return limiter.peek(key, { cost, reserve });
    });
  }

  async #consume(call: Call): Promise<Decision[]> {
    const looks = await this.#peek(call);
    const allow = looks.every(({ allowed }) => allowed);
    return this.#each((limiter, i) => {
      const look = at(looks, i);
      // a denial takes nothing, but it may block the key
      if (look.allowed && !allow) return look;
      const { key, cost, reserve } = at(call.parts, i);
      return limiter.consume(key, { cost, reserve });
    });
  }

  async #each<Value>(work: (limiter: Limiter, i: number) => Value | Promise<Value>): Promise<Value[]> {
    const values: Value[] = [];
    for (const [i, limiter] of this.limits.limiters.entries()) values.push(await work(limiter, i));
    return values;
  }

  #standing(call: number): readonly Decision[] {
    return at(this.#decisions, call);
  }
}

/** One decision made of several, by the contract's words: all fields from one limit, and the queue's delay. */
export function asOne(decisions: readonly Decision[]): CompositeDecision {
  const denials = decisions.filter(({ allowed }) => !allowed);
  const longest = Math.max(...denials.map(({ retryAfterMs }) => retryAfterMs));
  const fewest = Math.min(...decisions.map(callsLeft));
  const own =
    denials.find(({ retryAfterMs }) => retryAfterMs === longest) ??
    decisions.find((decision) => callsLeft(decision) === fewest);
  if (own === undefined) throw new Error("no limit decided");
  const delayMs = own.allowed ? decisions.reduce((sum, decision) => sum + decision.delayMs, 0) : 0;
  const limits = decisions.map((decision) => [decision.name, decision]);
  return { ...own, delayMs, limits: Object.fromEntries(limits) };
}

function callsLeft({ remaining, cost }: Decision): number {
  return cost === 0 ? remaining : Math.floor(remaining / cost);
}

function at<Value>(values: readonly Value[], i: number): Value {
  const value = values[i];
  if (value === undefined) throw new Error(`nothing at ${i}`);
  return value;
}
