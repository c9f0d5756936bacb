import type { PolicyChecks } from "./policy-checks.js";

/** Whole numbers below 2^53 in an order that an algorithm defines: its parameters, or its state. */
export type Numbers = readonly number[];

/** What a call asks for, in whole units, each at most one more than the limit. */
export interface Ask {
  /** Charge the call if it is allowed; otherwise only look. */
  readonly commit: boolean;
  readonly cost: number;
  /** The fewest units that will do; `cost` unless the caller said `atLeast`. */
  readonly least: number;
  readonly reserve: number;
}

/** A correction to an earlier grant. */
export interface Change<State extends Numbers = Numbers> {
  /** Units to add to the grant (above 0) or to take back from it (below 0). */
  readonly delta: number;
  /** The state that the grant left behind, in the present measure; undefined where nothing was granted. */
  readonly granted: State | undefined;
}

/** What a kernel makes of a call. */
export interface Verdict<State extends Numbers = Numbers> {
  /** Units granted; -1 for a denial. */
  readonly taken: number;
  /** The state that follows; for a denial or a look, the present one. */
  readonly state: State;
  /** The stored state was dated too far in the future and now bears the present date: it is written even on denial. */
  readonly redated: boolean;
}

/** What a decision says beyond yes and no, derived from the numbers of an {@link Verdict}. */
export interface Report {
  readonly remaining: number;
  /** For a denial that can pass later: when. Not asked otherwise. */
  readonly retryAfterMs: number;
  readonly resetAfterMs: number;
  readonly delayMs: number;
}

/** A policy in the two forms in which it is needed. */
export interface CompiledPolicy<Params extends Numbers = Numbers> {
  /** The most that one call can ever be granted, in whole units. */
  readonly limit: number;
  /** The window, or the time in which the limit drains when full. */
  readonly windowMs: number;
  /** The options as data, durations in milliseconds: they stand in `limiter.policy`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** What the kernels calculate with. */
  readonly params: Params;
}

/** The Lua kernel in three blocks of statements over named locals; see `lua/consume.lua` of core for what is in scope. */
export interface LuaKernel {
  /** Brings the stored numbers to `now`; where there is no `state`, sets those of an unused limit. */
  readonly level: string;
  /**
   * Sets `taken`, moves the numbers if it is allowed, and sets `life`: the milliseconds for which
   * they matter, 0 once they say no more than a missing key.
   */
  readonly consume: string;
  /** Applies `delta` to the grant that left the `granted…` numbers behind, and sets `life`. */
  readonly adjust: string;
}

/** The same arithmetic twice, in TypeScript and in Lua, as a store needs it. Every function is pure. */
export interface Kernel<Params extends Numbers = Numbers, State extends Numbers = Numbers> {
  /** Names the algorithm in keys and policies. */
  readonly id: string;
  /** The version of the stored format: it stands in every key. */
  readonly version: number;
  /** The Lua locals that hold its parameters, in order. */
  readonly parameters: readonly string[];
  /** The Lua locals that hold its state, in the order in which they are stored as little-endian doubles. */
  readonly state: readonly string[];
  /**
   * Which number of the state bears the date of the call on the usual path, if one does: where that date is now and
   * the call was granted whole, the script replies with the state alone.
   */
  readonly dated?: number | undefined;
  readonly lua: LuaKernel;

  /** Decides one call; `state` is undefined for an unused limit. */
  decide(state: State | undefined, nowMs: number, ask: Ask, params: Params): Verdict<State>;
  /** Corrects an earlier grant; returns the state that follows. */
  adjust(state: State | undefined, nowMs: number, change: Change<State>, params: Params): State;
  /** The milliseconds from `nowMs` for which a state matters; 0 once it says no more than a missing one. */
  lifeMs(state: State, nowMs: number, params: Params): number;
  /** What a decision says of a state. */
  report(state: State, nowMs: number, ask: Ask, params: Params): Report;
  /** The state that a receipt remembers once it is settled by `delta` more units, in the present measure. */
  regrant(granted: State, delta: number, params: Params): State;
}

/** All that an algorithm is: a kernel, the options it is made with, and how they become its parameters. */
export interface Algorithm<
  Own extends object = object,
  Params extends Numbers = Numbers,
  State extends Numbers = Numbers,
> extends Kernel<Params, State> {
  /** The names of its own options. */
  readonly options: readonly (keyof Own & string)[];

  /** Turns options into parameters, or throws `InvalidPolicyError`. */
  compile(own: Own, checks: PolicyChecks): CompiledPolicy<Params>;
}
