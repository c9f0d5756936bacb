import { type Ask, type Change, MAX_EXACT, type Verdict } from "@sluice/core/algorithm";
import { refilled, rescaled } from "./level.js";

/**
 * What the kernel calculates with. A token is counted in units small enough for one millisecond to refill a whole
 * number of them.
 */
export type BucketParams = readonly [capacityUnits: number, refillPerMs: number, unitsPerToken: number];

/**
 * What is used of a bucket, not what is left: a missing state is a full bucket, and a changed capacity keeps what is
 * used. `measure` is the number of units in a token when it was written.
 */
export type BucketState = readonly [usedUnits: number, datedMs: number, measure: number];

/** Brings a state to `nowMs`. A state dated ahead has refilled nothing yet; one dated too far ahead is re-dated. */
export function levelAt(state: BucketState | undefined, nowMs: number, params: BucketParams): BucketState {
  const [capacityUnits, refillPerMs, unitsPerToken] = params;
  if (state === undefined) return [0, nowMs, unitsPerToken];
  const [storedUnits, datedMs, measure] = state;
  const usedUnits = measure === unitsPerToken ? storedUnits : rescaled(storedUnits, measure, unitsPerToken);
  if (datedMs - nowMs > Math.ceil(capacityUnits / refillPerMs)) return [usedUnits, nowMs, unitsPerToken];
  if (datedMs >= nowMs) return [usedUnits, datedMs, unitsPerToken];
  return [refilled(usedUnits, nowMs - datedMs, refillPerMs), nowMs, unitsPerToken];
}

/** Takes `cost` tokens, or as many as there are if `least` are. */
export function decide(
  stored: BucketState | undefined,
  nowMs: number,
  { commit, cost, least, reserve }: Ask,
  params: BucketParams,
): Verdict<BucketState> {
  const [capacityUnits, , unitsPerToken] = params;
  const state = levelAt(stored, nowMs, params);
  const [usedUnits, datedMs] = state;
  const redated = stored !== undefined && datedMs < stored[1];
  const room = capacityUnits - usedUnits - reserve * unitsPerToken;
  let taken = -1;
  if (cost * unitsPerToken <= room) taken = cost;
  else if (least * unitsPerToken <= room) taken = Math.floor(room / unitsPerToken);
  if (taken <= 0 || !commit) return { taken, state, redated };
  return { taken, state: [usedUnits + taken * unitsPerToken, datedMs, unitsPerToken], redated };
}

/** Makes an earlier grant larger or smaller by `delta` tokens, as far as it still weighs. */
export function adjust(
  stored: BucketState | undefined,
  nowMs: number,
  { delta, granted }: Change<BucketState>,
  params: BucketParams,
): BucketState {
  const [, refillPerMs, unitsPerToken] = params;
  const [usedUnits, datedMs] = levelAt(stored, nowMs, params);
  const units = Math.min(Math.abs(delta) * unitsPerToken, MAX_EXACT);
  let weighs = units;
  if (granted !== undefined) {
    const [grantedUnits, grantedMs] = granted;
    // of the level that the grant left behind, what has not come back since
    const level = delta > 0 ? Math.min(grantedUnits + units, MAX_EXACT) : grantedUnits;
    weighs = Math.min(units, refilled(level, Math.max(0, datedMs - grantedMs), refillPerMs));
  }
  const corrected = delta < 0 ? Math.max(0, usedUnits - weighs) : Math.min(usedUnits + weighs, MAX_EXACT);
  return [corrected, datedMs, unitsPerToken];
}

/** The state that a receipt remembers when `delta` tokens are added to its grant, in the present measure. */
export function regrant(
  [units, datedMs, measure]: BucketState,
  delta: number,
  params: BucketParams,
): BucketState {
  const [, , unitsPerToken] = params;
  const level = rescaled(units, measure, unitsPerToken) + delta * unitsPerToken;
  return [Math.max(0, Math.min(level, MAX_EXACT)), datedMs, unitsPerToken];
}

/** The time from `nowMs` until the bucket is full again. */
export function lifeMs(
  [usedUnits, datedMs]: BucketState,
  nowMs: number,
  [, refillPerMs]: BucketParams,
): number {
  return usedUnits === 0 ? 0 : datedMs - nowMs + Math.ceil(usedUnits / refillPerMs);
}
