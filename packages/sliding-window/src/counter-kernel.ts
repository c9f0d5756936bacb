import {
  type Ask,
  type Change,
  MAX_EXACT,
  type Numbers,
  type Report,
  type Standing,
  type Verdict,
} from "@sluice/core/algorithm";
import { share, weigh } from "./weigh.js";

/** Windows start at multiples of `windowMs`. */
export type CounterParams = readonly [limit: number, windowMs: number];

/**
 * What was granted in the window that holds the last grant and in the one before, and how long a window was when it
 * was written.
 */
export type CounterState = readonly [current: number, previous: number, lastMs: number, widthMs: number];

/** The windows that hold the present and the time before it. */
interface Present {
  readonly state: CounterState;
  /** What counts in the present window. */
  readonly held: number;
  /** What counts in the one before. */
  readonly before: number;
  /** Now, or the date of a state that is dated ahead. */
  readonly atMs: number;
  readonly startMs: number;
  /** From `atMs` to the end of the present window: as much of the one before is still covered. */
  readonly restMs: number;
  readonly redated: boolean;
}

function presentWindows(stored: CounterState | undefined, nowMs: number, params: CounterParams): Present {
  const [, windowMs] = params;
  if (stored === undefined) return placed([0, 0, nowMs, windowMs], nowMs, false, params);
  const [current, previous, lastMs] = inWindowsOf(windowMs, stored);
  const redated = lastMs - nowMs > windowMs;
  return placed([current, previous, redated ? nowMs : lastMs, windowMs], nowMs, redated, params);
}

/** What was used, by the old measure and at the last grant, counts in the new window that holds that grant. */
function inWindowsOf(windowMs: number, state: CounterState): CounterState {
  const [current, previous, lastMs, widthMs] = state;
  if (widthMs === windowMs) return state;
  const used = current + weigh(previous, widthMs - (lastMs % widthMs), widthMs);
  return [Math.min(used, MAX_EXACT), 0, lastMs, windowMs];
}

function placed(state: CounterState, nowMs: number, redated: boolean, [, windowMs]: CounterParams): Present {
  const [current, previous, lastMs] = state;
  const atMs = Math.max(nowMs, lastMs);
  const startMs = atMs - (atMs % windowMs);
  const restMs = startMs + windowMs - atMs;
  let held = 0;
  let before = 0;
  if (lastMs >= startMs) {
    held = current;
    before = previous;
  } else if (lastMs >= startMs - windowMs) {
    before = current;
  }
  return { state, held, before, atMs, startMs, restMs, redated };
}

/** Takes `cost` units, or as many as there are if `least` are. */
export function decide(
  stored: CounterState | undefined,
  nowMs: number,
  { commit, cost, least, reserve }: Ask,
  params: CounterParams,
): Verdict<CounterState> {
  const [limit, windowMs] = params;
  const { state, held, before, atMs, restMs, redated } = presentWindows(stored, nowMs, params);
  const room = limit - reserve - held - weigh(before, restMs, windowMs);
  let taken = -1;
  if (cost <= room) taken = cost;
  else if (least <= room) taken = room;
  const next: CounterState = taken > 0 && commit ? [held + taken, before, atMs, windowMs] : state;
  return { taken, state: next, facts: next, redated };
}

/**
 * Makes a grant larger or smaller by `delta` units. What is given back is given in the window it was taken in, or not
 * at all; what is added counts in that window as long as it weighs.
 */
export function adjust(
  stored: CounterState | undefined,
  nowMs: number,
  { delta, granted }: Change,
  params: CounterParams,
): Standing<CounterState> {
  const [, windowMs] = params;
  const { state, held, before, atMs, startMs } = presentWindows(stored, nowMs, params);
  const next = corrected();
  return { state: next, facts: next };

  function corrected(): CounterState {
    const [current, previous, lastMs] = state;
    if (granted === undefined) return [bounded(held + delta), before, atMs, windowMs];
    const [, , grantedLastMs = 0] = granted;
    const lastStartMs = lastMs - (lastMs % windowMs);
    if (grantedLastMs >= lastStartMs) {
      if (delta < 0 && lastStartMs !== startMs) return state;
      return [bounded(current + delta), previous, lastMs, windowMs];
    }
    if (grantedLastMs < lastStartMs - windowMs || delta <= 0) return state;
    return [current, bounded(previous + delta), lastMs, windowMs];
  }
}

function bounded(units: number): number {
  return Math.max(0, Math.min(units, MAX_EXACT));
}

/** The time from `nowMs` until neither window weighs any more. */
export function lifeMs(state: CounterState, nowMs: number, params: CounterParams): number {
  const [, windowMs] = params;
  const { held, before, atMs, restMs } = presentWindows(state, nowMs, params);
  const untilEndMs = atMs - nowMs + restMs;
  if (held > 0) return untilEndMs + windowMs;
  return before > 0 ? untilEndMs : 0;
}

/** What the two windows say. */
export function report(
  [current = 0, previous = 0, lastMs = 0, widthMs = 1]: Numbers,
  nowMs: number,
  _taken: number,
  { least, reserve }: Ask,
  params: CounterParams,
): Report {
  const [limit, windowMs] = params;
  const state: CounterState = [current, previous, lastMs, widthMs];
  const { held, before, startMs, restMs } = presentWindows(state, nowMs, params);
  const used = held + weigh(before, restMs, windowMs);
  return {
    remaining: Math.max(0, limit - used),
    retryAfterMs: retryAtMs() - nowMs,
    resetAfterMs: lifeMs(state, nowMs, params),
    delayMs: 0,
  };

  /** The first millisecond at which `held + need` and what the window before weighs then are within the limit. */
  function retryAtMs(): number {
    const most = limit - least - reserve;
    // before * rest <= (most - held) * window, solved for rest
    const coveredMs = held <= most && before > 0 ? share(most - held, windowMs, before) : 0;
    if (coveredMs > 0) return startMs + windowMs - coveredMs;
    // not before the end of this window: what is held now is then the window before
    const laterCoveredMs = held > 0 ? share(most, windowMs, held) : windowMs;
    return startMs + windowMs + Math.max(0, windowMs - laterCoveredMs);
  }
}

/** A receipt remembers its window only: how much its grant took stands beside. */
export function regrant(granted: Numbers): Numbers {
  return granted;
}
