import type { Decision } from "./decision.js";
import type { PolicyChecks } from "./policy-checks.js";

/** Whole numbers below 2^53 in an order that an algorithm defines: its parameters, or its facts. */
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
export interface Change {
  /** Units to add to the grant (above 0) or to take back from it (below 0). */
  readonly delta: number;
  /** The facts that the grant left behind, in the present measure; undefined where nothing was granted. */
  readonly granted: Numbers | undefined;
}

/** A state, and what it tells. */
export interface Standing<State> {
  readonly state: State;
  /**
   * The few numbers that a decision and a receipt are made from: they are what the Lua kernel replies. Where the state
   * is a few numbers itself, the state.
   */
  readonly facts: Numbers;
}

/** What a kernel makes of a correction. */
export interface Correction<State> extends Standing<State> {
  /** The debt would be too large to be counted exactly: nothing is changed. */
  readonly refused?: boolean | undefined;
}

/** What a kernel makes of a call. `state` is what follows; for a denial or a look, the present one. */
export interface Verdict<State> extends Standing<State> {
  /** Units granted; -1 for a denial. */
  readonly taken: number;
  /** The stored state was dated too far in the future and now bears the present date: it is written even on denial. */
  readonly redated: boolean;
}

/** What a decision says beyond yes and no, derived from facts. */
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
  /** The options as data, all of them, durations in milliseconds: they stand in `limiter.policy`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** What the kernels calculate with. */
  readonly params: Params;
}

/** The Lua kernel in blocks of statements over named locals; `lua/consume.lua` of core shows what is in scope. */
export interface LuaKernel {
  /** Brings the stored numbers to `now`; where there is no `state`, sets those of an unused limit. */
  readonly level: string;
  /**
   * Sets `taken`, moves the numbers if it is allowed, and sets `life`: the milliseconds for which they matter, 0 once
   * they say no more than a missing key.
   */
  readonly consume: string;
  /**
   * Applies `delta` to the grant that left the `granted...` facts behind, and sets `life`; or sets `refused` and changes
   * nothing where the debt would be too large to be counted exactly.
   */
  readonly adjust: string;
  /** Text that takes the place of `$name` in the others. */
  readonly blocks?: Readonly<Record<string, string>> | undefined;
  /** How the state lies in the key, where it is not `state` as little-endian doubles. */
  readonly storage?: LuaStorage | undefined;
}

/** How a state that is more than a few numbers is read and written. */
export interface LuaStorage {
  /** Sets `state`: the raw text of the key, as far as it is needed at once, or nil. */
  readonly read: string;
  /** Takes `state` apart. */
  readonly load: string;
  /**
   * Writes what `consume` or `adjust` left to write, with a TTL between `life` and `2 * life + 1000`, and sets `fresh`
   * to the packed facts.
   */
  readonly write: string;
}

/** A field of a stored policy: a number in digits, or a word. */
export interface PolicyField {
  /** As in `CompiledPolicy.data`, with a dot for each level. */
  readonly name: string;
  readonly is: "number" | "word";
  /** What holds where a person has left it out. */
  readonly otherwise?: string | undefined;
}

/** What it takes to keep a policy of its own for each key in the store. */
export interface KeyPolicies<Params extends Numbers = Numbers> {
  /** What a stored policy says, in the order of `CompiledPolicy.data`. */
  readonly fields: readonly PolicyField[];
  /**
   * Lua statements that set the parameters from those fields, which are the texts `said1`, `said2` and so on; or
   * `outside` to what is wrong: the field, what it must be, and what it is. As strict as `compile`.
   */
  readonly lua: string;
  /** What one call can be granted at the most, as a Lua expression of the parameters. */
  readonly most: string;
  /** What parameters say in whole units and milliseconds. */
  bounds(params: Params): { readonly limit: number; readonly windowMs: number };
}

/** How what was granted in one portion can be granted in parts later; see `leased`. */
export interface LeaseRules {
  /** For how long a portion may be held: to the end of the window that it counts in; `Infinity` where there is none. */
  holdableMs(granted: Pick<Decision, "windowMs" | "resetAfterMs" | "decidedAtMs">): number;
  /** The facts of a grant, as they would be without its last units. */
  without(facts: Numbers, units: number): Numbers;
}

/** The same arithmetic twice, in TypeScript and in Lua, as a store needs it. Every function is pure. */
export interface Kernel<Params extends Numbers = Numbers, State = unknown> {
  /** Names the algorithm in policies. */
  readonly id: string;
  /** Names it in keys: short, since it is stored with every one. */
  readonly tag: string;
  /** The version of the stored format: it stands in every key. */
  readonly version: number;
  /** The Lua locals that hold its parameters, in order. */
  readonly parameters: readonly string[];
  /** The Lua locals that hold its state. */
  readonly state: readonly string[];
  /** The Lua locals that hold its facts, in order; default: those of the state. */
  readonly facts?: readonly string[] | undefined;
  /**
   * Which of the facts is the date of the call on the usual path, if one is: where that date is now and the call was
   * granted whole, the script replies with the facts alone.
   */
  readonly dated?: number | undefined;
  readonly lua: LuaKernel;
  readonly perKey?: KeyPolicies<Params> | undefined;
  /** Whether a grant is a slot in the future: `delayMs`. */
  readonly queues?: boolean | undefined;
  /** Whether `report` tells of any facts when any call would pass, not only of those of a denial when that one would. */
  readonly foresees?: boolean | undefined;
  /** Whether units can be added by `grant`. */
  readonly grants?: boolean | undefined;
  /** Absent where units that are held would break what the algorithm promises. */
  readonly lease?: LeaseRules | undefined;

  /** Decides one call; `state` is undefined for an unused limit. */
  decide(state: State | undefined, nowMs: number, ask: Ask, params: Params): Verdict<State>;
  /** Corrects an earlier grant. */
  adjust(state: State | undefined, nowMs: number, change: Change, params: Params): Correction<State>;
  /** The milliseconds from `nowMs` for which a state matters; 0 once it says no more than a missing one. */
  lifeMs(state: State, nowMs: number, params: Params): number;
  /** What a decision says; `taken` is -1 for a denial, and what was charged otherwise. */
  report(facts: Numbers, nowMs: number, taken: number, ask: Ask, params: Params): Report;
  /** The facts that a receipt remembers once it is settled by `delta` more units, in the present measure. */
  regrant(granted: Numbers, delta: number, params: Params): Numbers;
}

/** All that an algorithm is: a kernel, the options it is made with, and how they become its parameters. */
export interface Algorithm<Own extends object = object, Params extends Numbers = Numbers, State = unknown>
  extends Kernel<Params, State> {
  /** The names of its own options. */
  readonly options: readonly (keyof Own & string)[];

  /** Turns options, none of which has been looked at yet, into parameters, or throws `InvalidPolicyError`. */
  compile(own: Readonly<Record<string, unknown>>, checks: PolicyChecks): CompiledPolicy<Params>;
}
