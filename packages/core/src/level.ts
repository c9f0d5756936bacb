import type { Ask, Change, Correction, Numbers, Report, Verdict } from "./algorithm-definition.js";
import { MAX_EXACT } from "./whole.js";

/**
 * What the kernel of a level calculates with: a token is counted in units small enough for a whole number of them to
 * come back in a millisecond.
 */
export type LevelParams = readonly [capacityUnits: number, unitsPerMs: number, unitsPerToken: number];

/**
 * What is used, not what is left: a missing state is an unused limit, and a changed capacity keeps what is used.
 * `measure` is the number of units in a token when it was written.
 */
export type LevelState = readonly [usedUnits: number, datedMs: number, measure: number];

/** Brings a state to `nowMs`. A state dated ahead has leaked nothing yet; one dated too far ahead is re-dated. */
function levelAt(state: LevelState | undefined, nowMs: number, params: LevelParams): LevelState {
  const [capacityUnits, unitsPerMs, unitsPerToken] = params;
  if (state === undefined) return [0, nowMs, unitsPerToken];
  const [storedUnits, datedMs, measure] = state;
  const usedUnits = rescaled(storedUnits, measure, unitsPerToken);
  if (datedMs < nowMs) return [leaked(usedUnits, nowMs - datedMs, unitsPerMs), nowMs, unitsPerToken];
  const tooFarAhead = datedMs - nowMs > Math.ceil(capacityUnits / unitsPerMs);
  return [usedUnits, tooFarAhead ? nowMs : datedMs, unitsPerToken];
}

/** Takes `cost` tokens, or as many as there are if `least` are. */
export function decideLevel(
  stored: LevelState | undefined,
  nowMs: number,
  { commit, cost, least, reserve }: Ask,
  params: LevelParams,
): Verdict<LevelState> {
  const [capacityUnits, , unitsPerToken] = params;
  let state = levelAt(stored, nowMs, params);
  const [usedUnits, datedMs] = state;
  const redated = stored !== undefined && datedMs < stored[1];
  const room = capacityUnits - usedUnits - reserve * unitsPerToken;
  let taken = -1;
  if (cost * unitsPerToken <= room) taken = cost;
  else if (least * unitsPerToken <= room) taken = Math.floor(room / unitsPerToken);
  if (taken > 0 && commit) state = [usedUnits + taken * unitsPerToken, datedMs, unitsPerToken];
  return { taken, state, facts: state, redated };
}

/** Makes an earlier grant larger or smaller by `delta` tokens, as far as it still weighs. */
export function adjustLevel(
  stored: LevelState | undefined,
  nowMs: number,
  { delta, granted }: Change,
  params: LevelParams,
): Correction<LevelState> {
  const [, unitsPerMs, unitsPerToken] = params;
  const [usedUnits, datedMs] = levelAt(stored, nowMs, params);
  const present: LevelState = [usedUnits, datedMs, unitsPerToken];
  const units = Math.abs(delta) * unitsPerToken;
  let weighs = units;
  if (granted !== undefined) {
    const [grantedUnits, grantedMs] = regrantLevel(granted, 0, params);
    // of the level that the grant left behind, what has not leaked since
    const level = grantedUnits + Math.max(0, delta * unitsPerToken);
    if (level > MAX_EXACT) return { state: present, facts: present, refused: true };
    weighs = Math.min(units, leaked(level, Math.max(0, datedMs - grantedMs), unitsPerMs));
    // a clock that stepped far back has re-dated what is used: whose it is can no longer be told
    if (delta < 0 && datedMs < grantedMs) weighs = 0;
  }
  if (delta >= 0 && weighs > MAX_EXACT - usedUnits) return { state: present, facts: present, refused: true };
  const corrected = delta < 0 ? Math.max(0, usedUnits - weighs) : usedUnits + weighs;
  const state: LevelState = [corrected, datedMs, unitsPerToken];
  return { state, facts: state };
}

/** As {@link adjustLevel} for a queue: a slot is given back only when it is the last, since those behind it are promised. */
export function adjustLastSlot(
  stored: LevelState | undefined,
  nowMs: number,
  change: Change,
  params: LevelParams,
): Correction<LevelState> {
  const { delta, granted } = change;
  if (delta >= 0 || granted === undefined) return adjustLevel(stored, nowMs, change, params);
  const [usedUnits, datedMs] = levelAt(stored, nowMs, params);
  const [grantedUnits, grantedMs] = regrantLevel(granted, 0, params);
  const [, unitsPerMs] = params;
  const isLast = usedUnits === leaked(grantedUnits, Math.max(0, datedMs - grantedMs), unitsPerMs);
  return adjustLevel(stored, nowMs, isLast ? change : { delta: 0, granted }, params);
}

/** The facts that a receipt remembers when `delta` tokens are added to its grant, in the present measure. */
export function regrantLevel(granted: Numbers, delta: number, [, , unitsPerToken]: LevelParams): LevelState {
  const [units, datedMs, measure] = readLevel(granted);
  const level = rescaled(units, measure, unitsPerToken) + delta * unitsPerToken;
  return [Math.max(0, Math.min(level, MAX_EXACT)), datedMs, unitsPerToken];
}

/** The facts of a grant as they would be without its last tokens, in its own measure. */
export function levelWithout(granted: Numbers, tokens: number): LevelState {
  const [usedUnits, datedMs, measure] = readLevel(granted);
  return [Math.max(0, usedUnits - tokens * measure), datedMs, measure];
}

/** What a level's parameters say in tokens and milliseconds. */
export function levelBounds([capacityUnits, unitsPerMs, unitsPerToken]: LevelParams): {
  limit: number;
  windowMs: number;
} {
  return { limit: capacityUnits / unitsPerToken, windowMs: Math.ceil(capacityUnits / unitsPerMs) };
}

/** The time from `nowMs` until nothing is used. */
export function levelLifeMs(
  [usedUnits, datedMs]: LevelState,
  nowMs: number,
  [, unitsPerMs]: LevelParams,
): number {
  return usedUnits === 0 ? 0 : datedMs - nowMs + Math.ceil(usedUnits / unitsPerMs);
}

/** What a level says; `delayMs` is the time until what was used before the grant has leaked. */
export function reportLevel(
  facts: Numbers,
  nowMs: number,
  taken: number,
  ask: Ask,
  params: LevelParams,
): Report {
  const [capacityUnits, unitsPerMs, unitsPerToken] = params;
  const [usedUnits, datedMs] = readLevel(facts);
  // a state dated ahead leaks nothing until its date
  const aheadMs = Math.max(0, datedMs - nowMs);
  // in this order no intermediate passes 2^53
  const excessUnits = usedUnits - (capacityUnits - (ask.least + ask.reserve) * unitsPerToken);
  const usedBefore = usedUnits - Math.max(0, taken) * unitsPerToken;
  return {
    remaining: Math.max(0, Math.floor((capacityUnits - usedUnits) / unitsPerToken)),
    retryAfterMs: aheadMs + Math.ceil(excessUnits / unitsPerMs),
    resetAfterMs: usedUnits === 0 ? 0 : aheadMs + Math.ceil(usedUnits / unitsPerMs),
    delayMs: usedBefore <= 0 ? 0 : aheadMs + Math.ceil(usedBefore / unitsPerMs),
  };
}

function readLevel([usedUnits = 0, datedMs = 0, measure = 1]: Numbers): LevelState {
  return [usedUnits, datedMs, measure];
}

/**
 * What is used once `elapsedMs` have leaked some of it. A product beyond 2^53 is rounded, and beyond any level all
 * the same.
 */
function leaked(usedUnits: number, elapsedMs: number, unitsPerMs: number): number {
  return Math.max(0, usedUnits - elapsedMs * unitsPerMs);
}

/**
 * Units counted `from` a token, in units counted `to` a token: whole tokens stay, a part of one is rounded up, to the
 * unit where the product is exact and to the token where it is not. So a changed rate takes less than one token from
 * the caller, and none that could have been consumed.
 */
function rescaled(units: number, from: number, to: number): number {
  if (from === to) return units;
  const part = units % from;
  const whole = Math.min(((units - part) / from) * to, MAX_EXACT);
  if (part === 0) return whole;
  return Math.min(whole + (part * to <= MAX_EXACT ? Math.ceil((part * to) / from) : to), MAX_EXACT);
}
