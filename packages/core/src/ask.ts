import type { Ask } from "./algorithm-definition.js";
import { InvalidCostError } from "./errors.js";
import type { ConsumeOptions } from "./limiter.js";
import { isWhole, MAX_EXACT, shown } from "./whole.js";

/** A call's request: as the caller said it, and as the kernels calculate with it. */
export interface Request extends Ask {
  /** The cost that the caller asked, unbounded. */
  readonly asked: number;
  /** It asks for more than the limit can ever give. */
  readonly never: boolean;
}

/** Asks for nothing and changes nothing. */
export const LOOK: Ask = { commit: false, cost: 0, least: 0, reserve: 0 };

const CALL_OPTIONS: readonly string[] = [
  "cost",
  "atLeast",
  "reserve",
  "signal",
] satisfies (keyof ConsumeOptions)[];

/** @throws InvalidCostError */
export function readRequest(
  limiterName: string,
  limit: number,
  options: ConsumeOptions,
  commit: boolean,
): Request {
  checkCallOptions(limiterName, options);
  const { cost: saidCost, atLeast, reserve: saidReserve } = options;
  const asked = units(limiterName, "cost", saidCost, 1, MAX_EXACT);
  const saidLeast = units(limiterName, "atLeast", atLeast, asked, asked);
  const reserve = units(limiterName, "reserve", saidReserve, 0, MAX_EXACT);
  // a limit of 0 denies everything, even a cost of 0
  const floor = limit === 0 ? 1 : 0;
  const least = Math.max(saidLeast, floor);
  return {
    commit,
    asked,
    never: least + reserve > limit,
    // what is beyond the limit is denied all the same, and the kernels' products stay exact
    cost: Math.min(Math.max(asked, floor), limit + 1),
    least: Math.min(least, limit + 1),
    reserve: Math.min(reserve, limit + 1),
  };
}

/** The cost that a decision is settled at. @throws InvalidCostError */
export function readActualCost(limiterName: string, actualCost: number): number {
  if (actualCost === undefined) throw invalidCost(limiterName, "the actual cost", actualCost, MAX_EXACT);
  return units(limiterName, "the actual cost", actualCost, 0, MAX_EXACT);
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

/** A misspelt `cost` must not pass for a cost of 1. */
function checkCallOptions(limiterName: string, options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw new InvalidCostError(
      `limiter ${shown(limiterName)}: options must be { ${CALL_OPTIONS.join(", ")} }, got ${shown(options)}`,
    );
  }
  for (const option in options) {
    if (CALL_OPTIONS.includes(option)) continue;
    throw new InvalidCostError(
      `limiter ${shown(limiterName)}: options must be { ${CALL_OPTIONS.join(", ")} }, got the unknown option ${shown(option)}`,
    );
  }
}
