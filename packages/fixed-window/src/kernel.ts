import {
  type Ask,
  type Change,
  type Correction,
  MAX_EXACT,
  type Numbers,
  type Report,
  type Verdict,
} from "@sluice/core/algorithm";

/** `first` is 1 when a window starts with a key's first grant, 0 when windows start at multiples of their length. */
export type WindowParams = readonly [limit: number, windowMs: number, first: number];

/**
 * What is used of a window, and the dates of the last and the first grant that are counted in it. It does not say how
 * long a window was when it was written: the date of the last grant tells which window it counts in, whatever the
 * length is now.
 */
export type WindowState = readonly [used: number, lastMs: number, sinceMs: number];

/** The state of the window that holds `nowMs`, or the date of a state that is dated ahead. */
function presentWindow(stored: WindowState | undefined, nowMs: number, params: WindowParams): WindowState {
  if (stored === undefined) return [0, nowMs, nowMs];
  const windowMs = params[1];
  const lastMs = stored[1];
  if (lastMs - nowMs > windowMs) return [stored[0], nowMs, nowMs];
  const atMs = Math.max(nowMs, lastMs);
  return atMs - startMs(lastMs, stored[2], params) >= windowMs ? [0, atMs, atMs] : stored;
}

/** When the window of a state started. */
function startMs(lastMs: number, sinceMs: number, params: WindowParams): number {
  const windowMs = params[1];
  const originMs = params[2] === 1 ? sinceMs : 0;
  // exact below 2^53, and faster than the remainder
  return originMs + Math.floor((lastMs - originMs) / windowMs) * windowMs;
}

/** Takes `cost` units, or as many as there are if `least` are. */
export function decide(
  stored: WindowState | undefined,
  nowMs: number,
  { commit, cost, least, reserve }: Ask,
  params: WindowParams,
): Verdict<WindowState> {
  const state = presentWindow(stored, nowMs, params);
  const used = state[0];
  const room = params[0] - reserve - used;
  let taken = -1;
  if (cost <= room) taken = cost;
  else if (least <= room) taken = room;
  const next: WindowState = taken > 0 && commit ? [used + taken, Math.max(nowMs, state[1]), state[2]] : state;
  const redated = stored !== undefined && state[1] < stored[1];
  return { taken, state: next, facts: next, redated };
}

/**
 * Makes a grant larger or smaller by `delta` units if it is one of those that are counted; or, where nothing was
 * granted, what is used.
 */
export function adjust(
  stored: WindowState | undefined,
  nowMs: number,
  { delta, granted }: Change,
  params: WindowParams,
): Correction<WindowState> {
  const state = presentWindow(stored, nowMs, params);
  const [used, lastMs, sinceMs] = state;
  const [, grantedMs = -1] = granted ?? [];
  const isCounted = used > 0 && grantedMs >= sinceMs && grantedMs <= lastMs;
  if (granted !== undefined && !isCounted) return { state, facts: state };
  if (used + delta > MAX_EXACT) return { state, facts: state, refused: true };
  const isCharge = granted === undefined && delta > 0;
  const corrected: WindowState = [
    Math.max(0, used + delta),
    isCharge ? Math.max(nowMs, lastMs) : lastMs,
    sinceMs,
  ];
  return { state: corrected, facts: corrected };
}

/** The time from `nowMs` until the window ends. */
export function lifeMs(state: WindowState, nowMs: number, params: WindowParams): number {
  return state[0] > 0 ? startMs(state[1], state[2], params) + params[1] - nowMs : 0;
}

/** What a window says. */
export function report(
  facts: Numbers,
  nowMs: number,
  _taken: number,
  _ask: Ask,
  params: WindowParams,
): Report {
  const used = facts[0] ?? 0;
  const untilEndMs = startMs(facts[1] ?? 0, facts[2] ?? 0, params) + params[1] - nowMs;
  return {
    remaining: Math.max(0, params[0] - used),
    retryAfterMs: untilEndMs,
    resetAfterMs: used > 0 ? untilEndMs : 0,
    delayMs: 0,
  };
}

/** A receipt remembers when its grant was: how much it took stands beside. */
export function regrant(granted: Numbers): Numbers {
  return granted;
}
