import type { Algorithm, Numbers } from "./algorithm-definition.js";
import { InvalidPolicyError } from "./errors.js";
import { checkKnown } from "./known-options.js";
import type { CommonOptions, Limiter } from "./limiter.js";
import { defaultMemoryStore } from "./memory-store.js";
import { policyChecks } from "./policy-checks.js";
import type { Store } from "./store.js";
import { StoreLimiter } from "./store-limiter.js";
import { shown } from "./whole.js";

/** Makes limiters of one algorithm. */
export type LimiterFactory<Own extends object> = <const Name extends string>(
  options: CommonOptions<Name> & Own,
) => Limiter<Name, Own>;

const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const COMMON_OPTIONS: readonly string[] = ["name", "store"] satisfies (keyof CommonOptions)[];

/**
 * Turns an algorithm into the factory of its limiters. The packages of Sluice are made with it and nothing else.
 *
 * The returned factory throws `InvalidPolicyError` for options that the algorithm cannot keep, before any store is
 * touched.
 */
export function defineAlgorithm<Own extends object, Params extends Numbers, State>(
  algorithm: Algorithm<Own, Params, State>,
): LimiterFactory<Own> {
  const known = [...COMMON_OPTIONS, ...algorithm.options];

  return function create<const Name extends string>(options: CommonOptions<Name> & Own): Limiter<Name, Own> {
    const name = checkedName(algorithm.id, options?.name);
    checkKnown(`limiter ${shown(name)}`, options, known);
    const checks = policyChecks(name);
    const store = options.store === undefined ? defaultMemoryStore() : options.store;
    if (!isStore(store)) {
      checks.refuse(
        `store must be a store such as memoryStore() or ioredisStore(client), got ${shown(store)}`,
      );
    }
    return new StoreLimiter<Name, Own>({
      name,
      kernel: algorithm,
      compiled: algorithm.compile(options, checks),
      store,
      variant(own) {
        checkKnown(`limiter ${shown(name)}, with()`, own, algorithm.options);
        return create({ ...options, ...own });
      },
    });
  };
}

function checkedName<Name extends string>(algorithmId: string, name: Name): Name {
  if (typeof name === "string" && NAME.test(name)) return name;
  throw new InvalidPolicyError(
    `${algorithmId}: name must be a letter, then up to 63 of letters, digits, ".", "_", "-", got ${shown(name)}`,
  );
}

function isStore(value: unknown): value is Store {
  if (typeof value !== "object" || value === null) return false;
  return ["decide", "adjust", "forget"].every((method) => typeof Reflect.get(value, method) === "function");
}
