import {
  type CompositeDecision,
  type CompositeLimiter,
  compose,
  type Limiter,
  type Store,
} from "@sluice/core";
import { KEY_NAMES } from "./acts.ts";
import type { Composition } from "./composition.ts";
import { KINDS, type Made, type Shape } from "./kinds.ts";
import type { Operation } from "./operations.ts";

/** The limits of a composition on one store, under the policies in force. */
export class Limits {
  readonly limiters: Limiter[];
  readonly #made: readonly Made[];
  readonly #composition: Composition;

  constructor(composition: Composition, store: Store) {
    this.#composition = composition;
    this.#made = composition.map(({ name, kind, shapes: [first], blockFor, perKey }) =>
      KINDS[kind].make({ name, store, blockFor, perKey }, first),
    );
    this.limiters = this.#made.map(({ limiter }) => limiter);
  }

  /** Replaces the policy of one limit by another. */
  async replace(name: string, shape: Shape): Promise<void> {
    const { position, made, limiter } = this.#of(name);
    const other = made.under(shape);
    for (const key of KEY_NAMES) await this.#change(position, key, limiter, other, async () => {});
    this.limiters[position] = other;
  }

  /** Gives a key a policy of its own, or takes it away. */
  async set(name: string, key: string, shape: Shape | undefined): Promise<void> {
    const { position, made, limiter } = this.#of(name);
    await this.#change(position, key, limiter, limiter, () => made.setOwn(key, shape));
  }

  /**
   * Changes what holds for a key. A store may have forgotten by now what says nothing under the former policy, and must
   * not forget what says something under the new one: so the key is reset in the one case, and a call made in the other,
   * since from the first call on a new policy keeps what it needs.
   */
  async #change(
    position: number,
    key: string,
    before: Limiter,
    after: Limiter,
    change: () => Promise<void>,
  ): Promise<void> {
    if (this.#composition[position]?.blockFor !== undefined) await before.unblock(key);
    const { resetAfterMs } = await before.peek(key, { cost: 0 });
    if (resetAfterMs === 0) await before.reset(key);
    await change();
    if (resetAfterMs > 0) await after.consume(key, { cost: 0 });
  }

  #of(name: string): { position: number; made: Made; limiter: Limiter } {
    const position = this.#composition.findIndex((ingredient) => ingredient.name === name);
    const [made, limiter] = [this.#made[position], this.limiters[position]];
    if (made === undefined || limiter === undefined) throw new Error(`there is no limit ${name}`);
    return { position, made, limiter };
  }
}

/** Makes limiters decide together. */
export type Join = (limiters: readonly Limiter[]) => CompositeLimiter;

/** Limits that decide together, and what they have decided, for its correction. */
export class Company {
  readonly limits: Limits;
  readonly #join: Join;
  #composite: CompositeLimiter;
  readonly #decisions: CompositeDecision[] = [];

  constructor(composition: Composition, store: Store, join: Join = compose) {
    this.limits = new Limits(composition, store);
    this.#join = join;
    this.#composite = join(this.limits.limiters);
  }

  get composite(): CompositeLimiter {
    return this.#composite;
  }

  /** The decision of a call or a settlement. Time is passed by whoever has the clock. */
  async perform(operation: Operation): Promise<CompositeDecision | undefined> {
    switch (operation.do) {
      case "consume": {
        const decision = await this.#composite.consume(operation.key, operation.options);
        this.#decisions.push(decision);
        return decision;
      }
      case "peek":
        return this.#composite.peek(operation.key, operation.options);
      case "refund":
        await this.#composite.refund(this.#decision(operation.call));
        return undefined;
      case "settle": {
        const settled = await this.#composite.settle(this.#decision(operation.call), operation.at);
        this.#decisions[operation.call] = settled;
        return settled;
      }
      case "reset":
        await this.#composite.reset(operation.key);
        return undefined;
      case "replace":
        await this.limits.replace(operation.name, operation.shape);
        this.#composite = this.#join(this.limits.limiters);
        return undefined;
      case "set":
        await this.limits.set(operation.name, operation.key, operation.shape);
        return undefined;
      case "wait":
        return undefined;
    }
  }

  #decision(call: number): CompositeDecision {
    const decision = this.#decisions[call];
    if (decision === undefined) throw new Error(`call ${call} was not made`);
    return decision;
  }
}
