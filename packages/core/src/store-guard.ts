import type { Decision } from "./decision.js";
import { isStoreError, type StoreError } from "./errors.js";
import type { Fallback, LimiterEvent, StoreFailurePolicy } from "./limiter.js";
import type { Store } from "./store.js";

/** What a limiter says on behalf of a store that failed. */
export type StandIn<Name extends string> = "allow" | "deny" | Fallback<Name>;

/** What is done with a store. */
export type Operation = LimiterEvent["operation"];

export interface StoreGuardParts<Name extends string> {
  readonly name: string;
  readonly store: Pick<Store, "health">;
  readonly onStoreFailure: StoreFailurePolicy<Name>;
  readonly observe: ((event: LimiterEvent) => void) | undefined;
}

/** Stands between a limiter and its store: has something stand in when the store fails, and tells an observer. */
export class StoreGuard<Name extends string> {
  readonly policy: StoreFailurePolicy<Name>;
  readonly #name: string;
  readonly #store: Pick<Store, "health">;
  readonly #observe: ((event: LimiterEvent) => unknown) | undefined;
  #seenState = "closed";

  constructor({ name, store, onStoreFailure, observe }: StoreGuardParts<Name>) {
    this.policy = onStoreFailure;
    this.#name = name;
    this.#store = store;
    this.#observe = observe;
  }

  /** Whether it has anything to do: else the store can be asked without it. */
  get isIdle(): boolean {
    return this.policy === "throw" && this.#observe === undefined;
  }

  /** Does work with the store. Where that fails, `standIn` answers, unless the policy is to throw. */
  async run<Answer>(
    operation: Operation,
    work: () => Promise<Answer>,
    standIn: (by: StandIn<Name>, error: StoreError) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    try {
      const working = work();
      this.#lookAtBreaker(operation);
      return await working;
    } catch (error) {
      if (!isStoreError(error)) throw error;
      this.failed(operation, error);
      if (this.policy === "throw") throw error;
      return await standIn(this.policy, error);
    } finally {
      this.#lookAtBreaker(operation);
    }
  }

  decided(operation: Operation, decision: Decision): void {
    if (this.#observe === undefined) return;
    this.#lookAtBreaker(operation);
    this.#tell({ type: "decision", name: this.#name, operation, decision });
  }

  failed(operation: Operation, error: StoreError): void {
    this.#tell({ type: "store-failure", name: this.#name, operation, error });
    this.#lookAtBreaker(operation);
  }

  /** An observer can do no harm: whatever it throws is dropped. */
  #tell(event: LimiterEvent): void {
    try {
      const told: unknown = this.#observe?.(event);
      if (told instanceof Promise) told.catch(() => {});
    } catch {}
  }

  #lookAtBreaker(operation: Operation): void {
    if (this.#observe === undefined) return;
    const { state } = this.#store.health();
    if (state === this.#seenState) return;
    this.#seenState = state;
    this.#tell({ type: "breaker", name: this.#name, operation, state });
  }
}
