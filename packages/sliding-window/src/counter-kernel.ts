import {
  type Ask,
  type Change,
  type Correction,
  MAX_EXACT,
  type Numbers,
  type Report,
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
  const [, , lastMs, widthMs] = stored;
  // it was written when the clock was far ahead
  const redated = lastMs - nowMs > windowMs;
  if (!redated && widthMs === windowMs) return placed(stored, nowMs, redated, params);
  // what was used at the last grant, in windows as they were then, counts as of that date, or of now
  return placed([usedAtLast(stored), 0, redated ? nowMs : lastMs, windowMs], nowMs, redated, params);
}

function startOf(ms: number, windowMs: number): number {
  // exact below 2^53, and faster than the remainder
  return Math.floor(ms / windowMs) * windowMs;
}

function usedAtLast([current, previous, lastMs, widthMs]: CounterState): number {
  return Math.min(current + weigh(previous, widthMs - (lastMs % widthMs), widthMs), MAX_EXACT);
}

function placed(state: CounterState, nowMs: number, redated: boolean, [, windowMs]: CounterParams): Present {
  const [current, previous, lastMs] = state;
  const atMs = Math.max(nowMs, lastMs);
  const startMs = startOf(atMs, windowMs);
  const restMs = startMs + windowMs - atMs;
  let held = 0;
  let before = 0;
  if (lastMs >= startMs) {
    held = current;
    before = previous;
  } else if (lastMs >= startMs - windowMs) {
    before = current;
  }
  // one that weighs no more is as good as none
  const present: CounterState = held + before > 0 ? state : [0, 0, atMs, windowMs];
  return { state: present, held, before, atMs, startMs, restMs, redated };
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
): Correction<CounterState> {
  const [, windowMs] = params;
  const present = presentWindows(stored, nowMs, params);
  const { held, before, atMs } = present;
  const counted: CounterState = granted === undefined ? [held, before, atMs, windowMs] : present.state;
  const [more, moreBefore] = granted === undefined ? [delta, 0] : corrections(delta, granted, present);
  const [current, previous, lastMs] = counted;
  if (Math.max(current + more, previous + moreBefore) > MAX_EXACT) {
    return { state: counted, facts: counted, refused: true };
  }
  const state: CounterState = [Math.max(0, current + more), previous + moreBefore, lastMs, windowMs];
  return { state, facts: state };
}

/** What `delta` makes of the count of the window that holds the last grant, and of that of the one before. */
function corrections(
  delta: number,
  granted: Numbers,
  { state, atMs, startMs }: Present,
): readonly [more: number, moreBefore: number] {
  const [, , lastMs, windowMs] = state;
  const [, , grantedMs = 0, grantedWidthMs = windowMs] = granted;
  const lastStartMs = startOf(lastMs, windowMs);
  if (delta < 0) {
    // its window must be the present one as it was measured then and as it is now
    const isHeld = startOf(grantedMs, windowMs) === startMs && lastStartMs === startMs;
    const isOver = startOf(atMs, grantedWidthMs) !== startOf(grantedMs, grantedWidthMs);
    return isHeld && !isOver ? [delta, 0] : [0, 0];
  }
  if (grantedMs >= lastStartMs) return [delta, 0];
  return grantedMs >= lastStartMs - windowMs ? [0, delta] : [0, 0];
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
