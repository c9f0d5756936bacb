import type { Ask, Change, Correction, Numbers, Report, Verdict } from "@sluice/core/algorithm";
import {
  dateOfUnits,
  firstGrant,
  type LogState,
  usedOf,
  withChange,
  withGrant,
  withoutGone,
} from "./log-state.js";

/** At most `limit` units in any half-open interval `(t - windowMs, t]`. */
export type LogParams = readonly [limit: number, windowMs: number];

/** In Redis a running total has six bytes, so this is the most that can count at a time. */
export const MAX_USED: number = 2 ** 48 - 1;

/** What counts at present. */
interface Present {
  /** Undefined when nothing counts. */
  readonly log: LogState | undefined;
  /** Now, or the date of a state that is dated ahead. */
  readonly atMs: number;
  readonly redated: boolean;
}

function presentLog(stored: LogState | undefined, nowMs: number, [, windowMs]: LogParams): Present {
  if (stored === undefined) return { log: undefined, atMs: nowMs, redated: false };
  const redated = stored.lastMs - nowMs > windowMs;
  const atMs = Math.max(nowMs, stored.lastMs);
  const log = withoutGone(stored, atMs - windowMs);
  if (!redated) return { log, atMs, redated };
  // it was written when the clock was far ahead: all that counts is one grant of now
  const used = usedOf(log);
  return { log: used > 0 ? firstGrant(nowMs, used) : undefined, atMs: nowMs, redated };
}

function recorded(log: LogState | undefined, atMs: number, units: number): LogState {
  return log === undefined || usedOf(log) === 0 ? firstGrant(atMs, units) : withGrant(log, atMs, units);
}

/** Takes `cost` units, or as many as there are if `least` are. */
export function decide(
  stored: LogState | undefined,
  nowMs: number,
  { commit, cost, least, reserve }: Ask,
  params: LogParams,
): Verdict<LogState | undefined> {
  const [limit, windowMs] = params;
  const { log, atMs, redated } = presentLog(stored, nowMs, params);
  const used = usedOf(log);
  const room = limit - reserve - used;
  let taken = -1;
  if (cost <= room) taken = cost;
  else if (least <= room) taken = room;
  const state = taken > 0 && commit ? recorded(log, atMs, taken) : log;
  const excess = used + least + reserve - limit;
  const canPass = taken < 0 && least + reserve <= limit && log !== undefined;
  const freeAtMs = canPass ? dateOfUnits(log, excess) + windowMs : 0;
  return { taken, state, facts: facts(state, freeAtMs), redated };
}

/** Makes a grant larger or smaller by `delta` units while it counts. */
export function adjust(
  stored: LogState | undefined,
  nowMs: number,
  { delta, granted }: Change,
  params: LogParams,
): Correction<LogState | undefined> {
  const { log, atMs } = presentLog(stored, nowMs, params);
  let state = log;
  if (granted === undefined) {
    if (delta > 0) state = recorded(log, atMs, delta);
  } else if (log !== undefined) {
    const [, newestMs = 0] = granted;
    state = withChange(log, newestMs, delta);
  }
  if (usedOf(state) > MAX_USED) return { state: log, facts: facts(log, 0), refused: true };
  return { state, facts: facts(state, 0) };
}

function facts(state: LogState | undefined, freeAtMs: number): Numbers {
  const used = usedOf(state);
  return [used, state !== undefined && used > 0 ? state.lastMs : 0, freeAtMs];
}

/** The time from `nowMs` until the newest grant leaves the window. */
export function lifeMs(state: LogState | undefined, nowMs: number, [, windowMs]: LogParams): number {
  return state !== undefined && usedOf(state) > 0 ? state.lastMs + windowMs - nowMs : 0;
}

/** What a log says. */
export function report(
  [used = 0, newestMs = 0, freeAtMs = 0]: Numbers,
  nowMs: number,
  _taken: number,
  _ask: Ask,
  [limit, windowMs]: LogParams,
): Report {
  return {
    remaining: Math.max(0, limit - used),
    retryAfterMs: freeAtMs - nowMs,
    resetAfterMs: used > 0 ? newestMs + windowMs - nowMs : 0,
    delayMs: 0,
  };
}

/** A receipt remembers its date only: how much its grant took stands beside. */
export function regrant(granted: Numbers): Numbers {
  return granted;
}
