import type { Limit } from "./store.js";

/** What is kept under which key: all that concerns one user's limits has the user's part for its hash tag. */
export class RedisKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  state({ space }: Limit, key: string): string {
    return `${this.#prefix}:${space}:{${key}}`;
  }

  /** The policy that a person has set for a key. */
  policy({ name, kernel }: Limit, key: string): string {
    return `${this.#prefix}:${name}:${kernel.tag}.policy:{${key}}`;
  }

  block({ name }: Limit, key: string): string {
    return `${this.#prefix}:${name}:block:{${key}}`;
  }

  /** All that a decision may touch, in the order in which the script expects them. */
  all(limit: Limit, key: string): string[] {
    const keys = [this.state(limit, key)];
    if (limit.perKey) keys.push(this.policy(limit, key));
    if (limit.blockForMs !== undefined) keys.push(this.block(limit, key));
    return keys;
  }
}

/** Of all that a decision on these limits may touch, what is one limit's; all of it where another script was called. */
export function keysOf(limits: readonly Limit[], keys: readonly string[], index: number): readonly string[] {
  const counts = limits.map(keyCount);
  const from = counts.slice(0, index).reduce((sum, count) => sum + count, 0);
  const count = counts[index] ?? 0;
  return keys.length > count ? keys.slice(from, from + count) : keys;
}

/** How many {@link RedisKeys.all} tells. */
function keyCount({ perKey, blockForMs }: Limit): number {
  return 1 + (perKey ? 1 : 0) + (blockForMs === undefined ? 0 : 1);
}
