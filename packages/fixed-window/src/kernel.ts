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

/** The state of the window that holds the present. */
interface Present {
  readonly state: WindowState;
  /** Now, or the date of a state that is dated ahead. */
  readonly atMs: number;
  readonly redated: boolean;
}

function presentWindow(stored: WindowState | undefined, nowMs: number, params: WindowParams): Present {
  if (stored === undefined) return { state: [0, nowMs, nowMs], atMs: nowMs, redated: false };
  const [, windowMs] = params;
  const redated = stored[1] - nowMs > windowMs;
  const state: WindowState = redated ? [stored[0], nowMs, nowMs] : stored;
  const atMs = Math.max(nowMs, state[1]);
  const over = atMs - startMs(state, params) >= windowMs;
  return { state: over ? [0, atMs, atMs] : state, atMs, redated };
}

/** When the window that a state counts in started. */
function startMs([, lastMs, sinceMs]: WindowState, [, windowMs, first]: WindowParams): number {
  return lastMs - ((first === 1 ? lastMs - sinceMs : lastMs) % windowMs);
}

/** Takes `cost` units, or as many as there are if `least` are. */
export function decide(
  stored: WindowState | undefined,
  nowMs: number,
  { commit, cost, least, reserve }: Ask,
  params: WindowParams,
): Verdict<WindowState> {
  const [limit] = params;
  const { state, atMs, redated } = presentWindow(stored, nowMs, params);
  const [used, , sinceMs] = state;
  const room = limit - reserve - used;
  let taken = -1;
  if (cost <= room) taken = cost;
  else if (least <= room) taken = room;
  const next: WindowState = taken > 0 && commit ? [used + taken, atMs, sinceMs] : state;
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
  const { state, atMs } = presentWindow(stored, nowMs, params);
  const [used, lastMs, sinceMs] = state;
  const [, grantedMs = -1] = granted ?? [];
  const isCounted = used > 0 && grantedMs >= sinceMs && grantedMs <= lastMs;
  if (granted !== undefined && !isCounted) return { state, facts: state };
  if (used + delta > MAX_EXACT) return { state, facts: state, refused: true };
  const isCharge = granted === undefined && delta > 0;
  const corrected: WindowState = [Math.max(0, used + delta), isCharge ? atMs : lastMs, sinceMs];
  return { state: corrected, facts: corrected };
}

/** The time from `nowMs` until the window ends. */
export function lifeMs(state: WindowState, nowMs: number, params: WindowParams): number {
  const [, windowMs] = params;
  return state[0] > 0 ? startMs(state, params) + windowMs - nowMs : 0;
}

/** What a window says. */
export function report(
  [used = 0, lastMs = 0, sinceMs = 0]: Numbers,
  nowMs: number,
  _taken: number,
  _ask: Ask,
  params: WindowParams,
): Report {
  const [limit, windowMs] = params;
  const untilEndMs = startMs([used, lastMs, sinceMs], params) + windowMs - nowMs;
  return {
    remaining: Math.max(0, limit - used),
    retryAfterMs: untilEndMs,
    resetAfterMs: used > 0 ? untilEndMs : 0,
    delayMs: 0,
  };
}

/** A receipt remembers when its grant was: how much it took stands beside. */
export function regrant(granted: Numbers): Numbers {
  return granted;
}
