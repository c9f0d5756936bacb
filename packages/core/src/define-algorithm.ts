import type { Algorithm, CompiledPolicy, Numbers } from "./algorithm-definition.js";
import { Denials, type DenyCacheBounds } from "./deny-cache.js";
import { InvalidPolicyError } from "./errors.js";
import { checkedFailurePolicy } from "./fallback.js";
import { GuardedLimiter } from "./guarded-limiter.js";
import { checkKnown } from "./known-options.js";
import type { CommonOptions, FullLimiter, Grants, KeyedLimits, Limiter } from "./limiter.js";
import { defaultMemoryStore } from "./memory-store.js";
import { type PolicyChecks, policyChecks } from "./policy-checks.js";
import { policyData } from "./policy-data.js";
import { sharedOptions } from "./policy-share.js";
import type { Limit, Store } from "./store.js";
import { StoreGuard } from "./store-guard.js";
import { StoreLimiter } from "./store-limiter.js";
import { StoredPolicies } from "./stored-policies.js";
import { MAX_SPAN_MS, shown } from "./whole.js";

/** A limiter that can do `More`, and so can its variants. */
export type LimiterWith<Name extends string, Own extends object, More> = {
  /** A limiter of the same name, keys and store with some of the algorithm's own options replaced. */
  with(own: Partial<Own>): LimiterWith<Name, Own, More>;
} & Limiter<Name, Own> &
  More;

/** Makes limiters of one algorithm; `More` is what they can do beyond those of others. */
export interface LimiterFactory<Own extends object, More = unknown> {
  /** With `perKey`, single keys may have policies of their own, and the limiter's own may be left out. */
  <const Name extends string>(
    options: CommonOptions<Name> & Partial<Own> & { perKey: true },
  ): LimiterWith<Name, Own, KeyedLimits<Own> & More>;
  <const Name extends string>(options: CommonOptions<Name> & Own): LimiterWith<Name, Own, More>;
}

const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const COMMON_OPTIONS: readonly string[] = [
  "name",
  "store",
  "perKey",
  "blockFor",
  "onStoreFailure",
  "denyCache",
  "maxWaiters",
  "observe",
] satisfies (keyof CommonOptions)[];

const DEFAULT_MAX_WAITERS = 1_000;

/**
 * Turns an algorithm into the factory of its limiters. The packages of Sluice are made with it and nothing else.
 *
 * The returned factory throws `InvalidPolicyError` for options that the algorithm cannot keep, before any store is
 * touched.
 */
export function defineAlgorithm<Own extends object, Params extends Numbers, State>(
  algorithm: Algorithm<Own, Params, State> & { readonly grants: true },
): LimiterFactory<Own, Grants>;
export function defineAlgorithm<Own extends object, Params extends Numbers, State>(
  algorithm: Algorithm<Own, Params, State>,
): LimiterFactory<Own>;
export function defineAlgorithm<Own extends object, Params extends Numbers, State>(
  algorithm: Algorithm<Own, Params, State>,
): LimiterFactory<Own, Grants> {
  const known = [...COMMON_OPTIONS, ...algorithm.options];

  function make<Name extends string>(
    options: CommonOptions<Name>,
    own: Readonly<Record<string, unknown>>,
  ): FullLimiter<Name, Own> {
    const name = checkedName(algorithm.id, options?.name);
    checkKnown(`limiter ${shown(name)}`, own, known);
    const checks = policyChecks(name);
    const { store = defaultMemoryStore(), perKey = false, blockFor } = options;
    if (!isStore(store)) {
      checks.refuse(
        `store must be a store such as memoryStore() or ioredisStore(client), got ${shown(store)}`,
      );
    }
    if (perKey !== true && perKey !== false) {
      checks.refuse(`perKey must be true or false, got ${shown(perKey)}`);
    }
    if (perKey && algorithm.perKey === undefined) {
      checks.refuse(`${algorithm.id} cannot keep a policy for each key, so perKey must be left out`);
    }
    const hasOwn = !perKey || algorithm.options.some((option) => own[option] !== undefined);
    const compiled = hasOwn ? algorithm.compile(own, checks) : withoutPolicy(algorithm);
    const variant = (changed: Partial<Own>): FullLimiter<Name, Own> => {
      checkKnown(`limiter ${shown(name)}, with()`, changed, algorithm.options);
      return make(options, { ...own, ...changed });
    };
    const limit: Limit = {
      name,
      space: `${name}:${algorithm.tag}.${algorithm.version}`,
      kernel: algorithm,
      params: compiled.params,
      limit: hasOwn ? compiled.limit : -1,
      windowMs: compiled.windowMs,
      perKey,
      blockForMs: readBlockFor(blockFor, checks),
    };
    const denyBounds = readDenyCache(options.denyCache, checks);
    const limiter = new StoreLimiter<Name, Own>({
      name,
      policy: policyData(algorithm.id, compiled),
      limit,
      store,
      denials: denyBounds && new Denials(store, limit, denyBounds),
      policies: perKey ? new StoredPolicies(name, algorithm) : undefined,
      variant,
      maxWaiters: checks.whole("maxWaiters", options.maxWaiters ?? DEFAULT_MAX_WAITERS, 1),
      share(share) {
        const shared =
          (hasOwn ? sharedOptions(compiled, share) : undefined) ??
          checks.refuse("fallbackShare() cannot tell what a share of it would be");
        const local = store.isLocal ? store : defaultMemoryStore();
        return make({ name, store: local, blockFor, maxWaiters: options.maxWaiters }, shared);
      },
    });
    const guard = new StoreGuard<Name>({
      name,
      store,
      onStoreFailure: checkedFailurePolicy(options.onStoreFailure, checks.refuse),
      observe: checkedObserver(options.observe, checks),
    });
    return guard.isIdle ? limiter : new GuardedLimiter(limiter, limiter.member, guard, variant);
  }

  return (options) => make(options, Object.fromEntries(Object.entries(options ?? {})));
}

/** In place of a policy, where only those of the keys hold. */
function withoutPolicy({ parameters }: Pick<Algorithm, "parameters">): CompiledPolicy {
  return { limit: 0, windowMs: 0, data: {}, params: parameters.map(() => -1) };
}

/** Undefined where nothing blocks a key, 0 where only people do. */
function readBlockFor(blockFor: unknown, checks: PolicyChecks): number | undefined {
  if (blockFor === undefined) return undefined;
  return blockFor === "by-hand" ? 0 : checks.duration("blockFor", blockFor);
}

/** Undefined where denials are not remembered. */
function readDenyCache(denyCache: unknown, checks: PolicyChecks): DenyCacheBounds | undefined {
  if (denyCache === undefined || denyCache === false) return undefined;
  const { maxMs = 1_000, maxKeys = 10_000 } = checks.record("denyCache", denyCache, ["maxMs", "maxKeys"]);
  return {
    maxMs: checks.whole("denyCache.maxMs", maxMs, 1, MAX_SPAN_MS),
    maxKeys: checks.whole("denyCache.maxKeys", maxKeys, 1),
  };
}

function checkedObserver(observe: CommonOptions["observe"], checks: PolicyChecks): CommonOptions["observe"] {
  if (observe === undefined || typeof observe === "function") return observe;
  return checks.refuse(`observe must be a function, got ${shown(observe)}`);
}

function checkedName<Name extends string>(algorithmId: string, name: Name): Name {
  if (typeof name === "string" && NAME.test(name)) return name;
  throw new InvalidPolicyError(
    `${algorithmId}: name must be a letter, then up to 63 of letters, digits, ".", "_", "-", got ${shown(name)}`,
  );
}

function isStore(value: unknown): value is Store {
  if (typeof value !== "object" || value === null) return false;
  return ["decide", "decideAll", "adjust", "forget"].every(
    (method) => typeof Reflect.get(value, method) === "function",
  );
}
