import {
  type Ask,
  type Change,
  MAX_EXACT,
  type Numbers,
  type Report,
  type Standing,
  type Verdict,
} from "@sluice/core/algorithm";

/** `first` is 1 when a window starts with a key's first grant, 0 when windows start at multiples of their length. */
export type WindowParams = readonly [limit: number, windowMs: number, first: number];

/**
 * What is used of a window. It does not say how long a window was when it was written: the date of the last grant
 * tells which window it counts in, whatever the length is now.
 */
export type WindowState = readonly [used: number, lastMs: number, startMs: number];

/** The window that holds the present, and what is used of it. */
interface Present {
  readonly used: number;
  readonly lastMs: number;
  readonly startMs: number;
  /** Now, or the date of a state that is dated ahead. */
  readonly atMs: number;
  readonly redated: boolean;
}

function presentWindow(stored: WindowState | undefined, nowMs: number, params: WindowParams): Present {
  const [, windowMs, first] = params;
  const gridStart = (atMs: number): number => (first === 1 ? atMs : atMs - (atMs % windowMs));
  if (stored === undefined) {
    return { used: 0, lastMs: nowMs, startMs: gridStart(nowMs), atMs: nowMs, redated: false };
  }
  const [used, storedLastMs, storedStartMs] = stored;
  const redated = storedLastMs - nowMs > windowMs;
  const lastMs = redated ? nowMs : storedLastMs;
  const origin = redated ? nowMs : storedStartMs;
  const atMs = Math.max(nowMs, lastMs);
  const startMs = first === 1 ? lastMs - ((lastMs - origin) % windowMs) : gridStart(lastMs);
  if (atMs - startMs >= windowMs) return { used: 0, lastMs: atMs, startMs: gridStart(atMs), atMs, redated };
  return { used, lastMs, startMs, atMs, redated };
}

/** Takes `cost` units, or as many as there are if `least` are. */
export function decide(
  stored: WindowState | undefined,
  nowMs: number,
  { commit, cost, least, reserve }: Ask,
  params: WindowParams,
): Verdict<WindowState> {
  const [limit] = params;
  const { used, lastMs, startMs, atMs, redated } = presentWindow(stored, nowMs, params);
  const room = limit - reserve - used;
  let taken = -1;
  if (cost <= room) taken = cost;
  else if (least <= room) taken = room;
  const state: WindowState = taken > 0 && commit ? [used + taken, atMs, startMs] : [used, lastMs, startMs];
  return { taken, state, facts: state, redated };
}

/** Makes a grant larger or smaller by `delta` units if its window is not over. */
export function adjust(
  stored: WindowState | undefined,
  nowMs: number,
  { delta, granted }: Change,
  params: WindowParams,
): Standing<WindowState> {
  const { used, lastMs, startMs, atMs } = presentWindow(stored, nowMs, params);
  const corrected = Math.max(0, Math.min(used + delta, MAX_EXACT));
  let state: WindowState = [used, lastMs, startMs];
  if (granted === undefined) {
    state = [corrected, atMs, startMs];
  } else {
    const [, grantedLastMs = 0] = granted;
    if (grantedLastMs >= startMs) state = [corrected, lastMs, startMs];
  }
  return { state, facts: state };
}

/** The time from `nowMs` until the window ends. */
export function lifeMs([used, , startMs]: WindowState, nowMs: number, [, windowMs]: WindowParams): number {
  return used > 0 ? startMs + windowMs - nowMs : 0;
}

/** What a window says. */
export function report(
  facts: Numbers,
  nowMs: number,
  _taken: number,
  _ask: Ask,
  [limit, windowMs]: WindowParams,
): Report {
  const [used = 0, , startMs = 0] = facts;
  const untilEndMs = startMs + windowMs - nowMs;
  return {
    remaining: Math.max(0, limit - used),
    retryAfterMs: untilEndMs,
    resetAfterMs: used > 0 ? untilEndMs : 0,
    delayMs: 0,
  };
}

/** A receipt remembers its window only: how much its grant took stands beside. */
export function regrant(granted: Numbers): Numbers {
  return granted;
}
