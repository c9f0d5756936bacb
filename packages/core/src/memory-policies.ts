import { PolicyNotFoundError } from "./errors.js";
import type { KeyPolicy, Limit } from "./store.js";
import { shown } from "./whole.js";

/** The policies that people have set for single keys, in memory: they stay until they are taken away. */
export class MemoryPolicies {
  readonly #spaces = new Map<string, Map<string, KeyPolicy>>();

  get({ space }: Limit, key: string): KeyPolicy | undefined {
    return this.#spaces.get(space)?.get(key);
  }

  set({ space }: Limit, key: string, policy: KeyPolicy | undefined): void {
    const policies = this.#spaces.get(space) ?? new Map<string, KeyPolicy>();
    if (policy === undefined) policies.delete(key);
    else policies.set(key, policy);
    this.#spaces.set(space, policies);
  }

  /**
   * The limit as it holds for a key.
   *
   * @throws PolicyNotFoundError
   */
  effective(limit: Limit, key: string): Limit {
    if (!limit.perKey) return limit;
    const params = this.get(limit, key)?.params;
    if (params !== undefined) return { ...limit, params, ...limit.kernel.perKey?.bounds(params) };
    if (limit.limit >= 0) return limit;
    throw new PolicyNotFoundError(
      `limiter ${shown(limit.name)}: no policy is set for this key, at ${shown(key)}`,
    );
  }
}
