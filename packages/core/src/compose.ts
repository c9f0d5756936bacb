import type { ByName } from "./by-name.js";
import { Composite } from "./composite.js";
import type { CompositeFallback } from "./composite-fallback.js";
import type { Decision } from "./decision.js";
import { InvalidPolicyError } from "./errors.js";
import { checkedFailurePolicy } from "./fallback.js";
import { checkKnown } from "./known-options.js";
import type { Key, Limiter, Policy, ResetOptions } from "./limiter.js";
import { type Member, membersOf } from "./members.js";
import type { Store } from "./store.js";
import { shown } from "./whole.js";

/** A decision on several limits. Its own fields are those of the one limit that decided. */
export interface CompositeDecision<Name extends string = string> extends Decision<Name> {
  /** What each limit would have answered alone; `taken` is 0 in all of them where the call was denied. */
  limits: { [N in Name]: Decision<N> };
}

/** How much a call asks for: one number for every limit, or one for each by name. */
export interface CompositeOptions<Name extends string = string> {
  /** Units asked for, whole, from 0; default 1. */
  cost?: number | ByName<Name, number> | undefined;
  /** Units to leave behind, whole, from 0; default 0. */
  reserve?: number | ByName<Name, number> | undefined;
  /** Rejects the call with the signal's own reason. */
  signal?: AbortSignal | undefined;
}

/** How much a call on several limits waits for, and for how long. */
export interface CompositeAcquireOptions<Name extends string = string> extends CompositeOptions<Name> {
  /** Fails with `WaitTimeoutError`, at once if a longer wait is known; from 0, default `Infinity`. */
  maxWaitMs?: number | undefined;
}

/** Several limits that decide together: all of them are charged, or none. */
export interface CompositeLimiter<Name extends string = string> {
  readonly name: string;
  /** What each limit was made to keep. */
  readonly policies: ByName<Name, Policy>;

  /**
   * Decides a call on all limits.
   *
   * @param key one for every limit, or one for each by name
   * @throws InvalidKeyError also for a wrong or missing name, InvalidCostError, CrossSlotError: nothing was touched.
   * StoreError.
   */
  consume(key: Key | ByName<Name, Key>, options?: CompositeOptions<Name>): Promise<CompositeDecision<Name>>;
  /** Answers as `consume` would, and changes nothing. */
  peek(key: Key | ByName<Name, Key>, options?: CompositeOptions<Name>): Promise<CompositeDecision<Name>>;
  /**
   * Waits until all limits allow a call, and charges it; as `acquire` of a limiter does. Who waits for the same keys of the
   * same limits is served first come, first served.
   */
  acquire(
    key: Key | ByName<Name, Key>,
    options?: CompositeAcquireOptions<Name>,
  ): Promise<CompositeDecision<Name>>;
  /** Gives back what a decision took, on every limit. */
  refund(decision: CompositeDecision<Name>): Promise<void>;
  /** Makes a decision have taken something else: one cost for every limit, or one for each by name. */
  settle(
    decision: CompositeDecision<Name>,
    actualCost: number | ByName<Name, number>,
  ): Promise<CompositeDecision<Name>>;
  /** Forgets what the key has used, on every limit. */
  reset(key: Key | ByName<Name, Key>, options?: ResetOptions): Promise<void>;
}

/** Options of {@link compose}. */
export interface ComposeOptions {
  /** Names the composite in errors; default: the names of its limits. */
  name?: string | undefined;
  /**
   * What to do in a cluster where the keys of one call lie in several slots: `"reserve"` (default) charges slot by slot
   * and gives back where one denies; `"error"` refuses with `CrossSlotError`.
   */
  crossSlot?: "reserve" | "error" | undefined;
  /**
   * What to answer when the store fails. A fallback is another composite, or a limiter: its limits are asked with the key,
   * cost and reserve of the limit of their name, or of the first. Default: what each limit says of itself; where one of
   * them throws, so does the composite.
   */
  onStoreFailure?: CompositeFailurePolicy | undefined;
}

/** What a composite answers when its store fails. */
export type CompositeFailurePolicy = "throw" | "allow" | "deny" | CompositeFallback;

/** What can be composed: limiters and composites. */
export type Composable = Pick<Limiter, "name"> & { consume: unknown; refund: unknown };

/** The names of the limits that a limiter or a composite is made of. */
export type NamesOf<Limit> =
  Limit extends CompositeLimiter<infer Name>
    ? Name
    : Limit extends { readonly name: infer Name extends string }
      ? Name
      : never;

const KNOWN_OPTIONS: readonly string[] = [
  "name",
  "crossSlot",
  "onStoreFailure",
] satisfies (keyof ComposeOptions)[];
const MOST_LIMITS = 32;

/**
 * Makes several limits decide as one, in one round trip: a call is charged to all of them, or, where one denies, to
 * none. Composites may be composed: they count as the limits that they are made of.
 *
 * @example
 * ```ts
 * import { compose } from "@sluice/core";
 * import { fixedWindow } from "@sluice/fixed-window";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const burst = tokenBucket({ name: "burst", capacity: 10, refill: { tokens: 10, every: "1s" } });
 * const daily = fixedWindow({ name: "daily", limit: 1_000, window: "1d" });
 * const limits = compose([burst, daily]);
 *
 * const decision = await limits.consume("user:42");
 * console.log(decision.allowed, decision.name, decision.limits.daily.remaining); // true burst 999
 * ```
 * @throws InvalidPolicyError for what cannot decide together: limits of several stores, two of one name, two queues,
 * more than 32, none
 */
export function compose<const Limits extends readonly Composable[]>(
  limits: Limits,
  options: ComposeOptions = {},
): CompositeLimiter<NamesOf<Limits[number]>> {
  const { members, store } = checkedMembers(limits);
  checkKnown("compose", options, KNOWN_OPTIONS);
  const { name = members.map(({ limit }) => limit.name).join("+"), crossSlot = "reserve" } = options;
  if (typeof name !== "string" || name === "") {
    refuse(`name must be a text, got ${shown(name)}`);
  }
  if (crossSlot !== "reserve" && crossSlot !== "error") {
    refuse(`crossSlot must be "reserve" or "error", got ${shown(crossSlot)}`);
  }
  const onStoreFailure =
    options.onStoreFailure === undefined ? undefined : checkedFailurePolicy(options.onStoreFailure, refuse);
  return new Composite<NamesOf<Limits[number]>>({ name, members, store, crossSlot, onStoreFailure });
}

function checkedMembers(limits: unknown): { members: readonly Member[]; store: Store } {
  if (!Array.isArray(limits)) return refuse(`an array of limiters was expected, got ${shown(limits)}`);
  const members = limits.flatMap(
    (limiter: unknown) => membersOf(limiter) ?? refuse(`limiters were expected, got ${shown(limiter)}`),
  );
  const [first] = members;
  if (first === undefined) return refuse("at least one limiter is needed");
  if (members.length > MOST_LIMITS) {
    refuse(`at most ${MOST_LIMITS} limits can decide together, got ${members.length}`);
  }
  const names = new Set<string>();
  for (const { limit, store } of members) {
    if (names.has(limit.name)) refuse(`each limit needs a name of its own, got two of ${shown(limit.name)}`);
    if (store !== first.store) refuse(`all limits must have one store, got another for ${shown(limit.name)}`);
    names.add(limit.name);
  }
  const queues = members.filter(({ limit }) => limit.kernel.queues).map(({ limit }) => shown(limit.name));
  if (queues.length > 1) refuse(`at most one leaky bucket can be among them, got ${queues.join(", ")}`);
  return { members, store: first.store };
}

function refuse(problem: string): never {
  throw new InvalidPolicyError(`compose: ${problem}`);
}
