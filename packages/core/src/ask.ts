import type { Ask } from "./algorithm-definition.js";
import { InvalidCostError, InvalidPolicyError } from "./errors.js";
import { checkKnown } from "./known-options.js";
import type { AcquireOptions, ConsumeOptions, ResetOptions } from "./limiter.js";
import type { Limit, Question } from "./store.js";
import { isWhole, MAX_EXACT, shown } from "./whole.js";

/** What the caller of a limiter asks for, unbounded. */
export interface Request {
  readonly commit: boolean;
  readonly cost: number;
  readonly least: number;
  readonly reserve: number;
}

/** Asks for nothing and changes nothing. */
export const LOOK: Ask = { commit: false, cost: 0, least: 0, reserve: 0 };

/** Of a call that says nothing more. */
export const NO_OPTIONS: ConsumeOptions = Object.freeze({});
const ONE_UNIT: Request = { commit: true, cost: 1, least: 1, reserve: 0 };
const LOOK_FOR_ONE: Request = { ...ONE_UNIT, commit: false };

const CALL_OPTIONS: readonly string[] = [
  "cost",
  "atLeast",
  "reserve",
  "signal",
] satisfies (keyof ConsumeOptions)[];

const ACQUIRE_OPTIONS: readonly string[] = [...CALL_OPTIONS, "maxWaitMs"];

/** @throws InvalidCostError */
export function readRequest(limiterName: string, options: ConsumeOptions, commit: boolean): Request {
  if (options === NO_OPTIONS) return commit ? ONE_UNIT : LOOK_FOR_ONE;
  checkCallOptions(limiterWhose(limiterName), options, CALL_OPTIONS);
  const cost = units(limiterName, "cost", options.cost, 1, MAX_EXACT);
  return {
    commit,
    cost,
    least: units(limiterName, "atLeast", options.atLeast, cost, cost),
    reserve: units(limiterName, "reserve", options.reserve, 0, MAX_EXACT),
  };
}

/** What a caller waits for, and for how long at most. @throws InvalidCostError */
export function readAcquire(
  limiterName: string,
  options: AcquireOptions,
): { request: Request; maxWaitMs: number } {
  checkCallOptions(limiterWhose(limiterName), options, ACQUIRE_OPTIONS);
  const { maxWaitMs, ...consumed } = options;
  return {
    request: readRequest(limiterName, consumed, true),
    maxWaitMs: readMaxWait(`limiter ${shown(limiterName)}`, maxWaitMs),
  };
}

/** @throws InvalidCostError */
export function readMaxWait(whose: string, maxWaitMs: unknown): number {
  if (maxWaitMs === undefined) return Number.POSITIVE_INFINITY;
  if (typeof maxWaitMs === "number" && maxWaitMs >= 0) return maxWaitMs;
  throw new InvalidCostError(
    `${whose}: maxWaitMs must be a number of milliseconds from 0, got ${shown(maxWaitMs)}`,
  );
}

/** Whether a request asks for more than a limit can ever give. */
export function isNever({ least, reserve }: Request, limit: number): boolean {
  return Math.max(least, leastOf(limit)) + reserve > limit;
}

/** A request in the bounds of a limit: what is beyond is denied all the same, and the kernels' products stay exact. */
export function askOf(request: Request, limit: number): Ask {
  const { commit, cost, least, reserve } = request;
  const floor = leastOf(limit);
  if (least >= floor && cost <= limit && reserve <= limit) return request;
  return {
    commit,
    cost: Math.min(Math.max(cost, floor), limit + 1),
    least: Math.min(Math.max(least, floor), limit + 1),
    reserve: Math.min(reserve, limit + 1),
  };
}

/** What to ask of a store: it bounds the request itself where the key may have a policy of its own. */
export function questionOf(limit: Limit, key: string, request: Request): Question {
  return { limit, key, ask: limit.perKey ? request : askOf(request, limit.limit) };
}

/** The same question, for which nothing is charged. */
export function looking({ limit, key, ask }: Question): Question {
  return { limit, key, ask: { ...ask, commit: false } };
}

/** A limit of 0 denies everything, even a cost of 0. */
function leastOf(limit: number): number {
  return limit === 0 ? 1 : 0;
}

/** The cost that a decision is settled at. @throws InvalidCostError */
export function readActualCost(limiterName: string, actualCost: number): number {
  if (actualCost === undefined) throw invalidCost(limiterName, "the actual cost", actualCost, MAX_EXACT);
  return units(limiterName, "the actual cost", actualCost, 0, MAX_EXACT);
}

/** How many tokens to add. @throws InvalidCostError */
export function readGrant(limiterName: string, tokens: number): number {
  if (tokens === undefined) throw invalidCost(limiterName, "tokens", tokens, MAX_EXACT);
  return units(limiterName, "tokens", tokens, 0, MAX_EXACT);
}

/** Whether a reset is to leave the block of its key. @throws InvalidPolicyError */
export function readKeepBlock(limiterName: string, options: ResetOptions): boolean {
  checkKnown(`limiter ${shown(limiterName)}, reset()`, options, ["keepBlock"]);
  const { keepBlock = false } = options;
  if (typeof keepBlock === "boolean") return keepBlock;
  throw new InvalidPolicyError(
    `limiter ${shown(limiterName)}: keepBlock must be true or false, got ${shown(keepBlock)}`,
  );
}

function units(limiterName: string, option: string, value: unknown, fallback: number, max: number): number {
  if (value === undefined) return fallback;
  if (!isWhole(value, 0, max)) throw invalidCost(limiterName, option, value, max);
  // -0 is 0
  return value + 0;
}

function invalidCost(limiterName: string, option: string, value: unknown, max: number): InvalidCostError {
  return new InvalidCostError(
    `limiter ${shown(limiterName)}: ${option} must be a whole number from 0 to ${max}, got ${shown(value)}`,
  );
}

/** A misspelt `cost` must not pass for a cost of 1. `whose` is asked for a message only. @throws InvalidCostError */
export function checkCallOptions(whose: () => string, options: unknown, known: readonly string[]): void {
  if (typeof options === "object" && options !== null) {
    for (const option in options) {
      if (!known.includes(option)) throw strange(`the unknown option ${shown(option)}`);
    }
    return;
  }
  throw strange(shown(options));

  function strange(got: string): InvalidCostError {
    return new InvalidCostError(`${whose()}: options must be { ${known.join(", ")} }, got ${got}`);
  }
}

function limiterWhose(limiterName: string): () => string {
  return () => `limiter ${shown(limiterName)}`;
}
