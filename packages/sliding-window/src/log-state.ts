/**
 * The grants that may still count: one entry for each millisecond in which something was granted, with running
 * totals, so that what is used is a difference and every search is by halving.
 *
 * A state never changes. Successive states share their arrays, which only grow: each knows how many of the entries
 * are its own. The last entry, which a grant in the same millisecond changes, is not in the arrays.
 */
export interface LogState {
  readonly dates: number[];
  readonly totals: number[];
  /** How many entries of the arrays are this state's: the index of the last entry. */
  readonly length: number;
  /** The first entry that counts. */
  readonly head: number;
  /** The running total before it. */
  readonly base: number;
  readonly lastMs: number;
  readonly lastTotal: number;
}

/** Beyond this many entries that have left, if they are most, the arrays are copied without them. */
const MOST_DEAD = 64;
/** Beyond this, running totals start anew. */
const MAX_TOTAL = 2 ** 52;

/** Of every log that has its last entry alone: most keys of many never get a second. Nothing is added to it. */
const NONE: number[] = [];

/** A log with one grant. */
export function firstGrant(atMs: number, units: number): LogState {
  return { dates: NONE, totals: NONE, length: 0, head: 0, base: 0, lastMs: atMs, lastTotal: units };
}

/** The log with one more grant, no earlier than its last. */
export function withGrant(state: LogState, atMs: number, units: number): LogState {
  if (atMs === state.lastMs) return { ...state, lastTotal: state.lastTotal + units };
  const shared = canGrow(state) ? state : compacted(state);
  shared.dates.push(shared.lastMs);
  shared.totals.push(shared.lastTotal);
  return { ...shared, length: shared.length + 1, lastMs: atMs, lastTotal: shared.lastTotal + units };
}

/**
 * Whether the arrays can take this state's next entry: they are its own, nobody else has added one, and most of them
 * still counts.
 */
function canGrow({ dates, length, head, lastTotal }: LogState): boolean {
  return (
    dates !== NONE &&
    dates.length === length &&
    !(head > MOST_DEAD && head * 2 > length) &&
    lastTotal < MAX_TOTAL
  );
}

function compacted({ dates, totals, length, head, base, lastMs, lastTotal }: LogState): LogState {
  return {
    dates: dates.slice(head, length),
    totals: totals.slice(head, length).map((total) => total - base),
    length: length - head,
    head: 0,
    base: 0,
    lastMs,
    lastTotal: lastTotal - base,
  };
}

/** The log without what was granted up to `goneMs`; undefined when that is all. */
export function withoutGone(state: LogState, goneMs: number): LogState | undefined {
  if (state.lastMs <= goneMs) return undefined;
  const head = firstIndex(state, (index) => dateAt(state, index) > goneMs);
  return head === state.head ? state : { ...state, head, base: totalAt(state, head - 1) };
}

/** The log with the entry of `dateMs` larger or smaller by `delta` units, though not below 0. */
export function withChange(state: LogState, dateMs: number, delta: number): LogState {
  const index = firstIndex(state, (candidate) => dateAt(state, candidate) >= dateMs);
  if (dateAt(state, index) !== dateMs) return state;
  const weight = totalAt(state, index) - (index === state.head ? state.base : totalAt(state, index - 1));
  const change = Math.max(-weight, delta);
  return upToLastUnit({
    ...state,
    dates: state.dates.slice(0, state.length),
    totals: state.totals.slice(0, state.length).map((total, at) => (at < index ? total : total + change)),
    lastTotal: state.lastTotal + change,
  });
}

/** The log without entries at its end of which nothing is left: the last is that of the last unit that counts. */
function upToLastUnit(state: LogState): LogState {
  const last = firstIndex(state, (index) => totalAt(state, index) >= state.lastTotal);
  return last === state.length ? state : { ...state, length: last, lastMs: dateAt(state, last) };
}

/** What counts. */
export function usedOf(state: LogState | undefined): number {
  return state === undefined ? 0 : state.lastTotal - state.base;
}

/** When the first `units` of what counts have all been granted: they leave a window later. */
export function dateOfUnits(state: LogState, units: number): number {
  return dateAt(
    state,
    firstIndex(state, (index) => totalAt(state, index) - state.base >= units),
  );
}

/** The first entry that counts and for which `holds`; the last, if none before it. `holds` must stay true once it is. */
function firstIndex(state: LogState, holds: (index: number) => boolean): number {
  let low = state.head;
  let high = state.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function dateAt({ dates, length, lastMs }: LogState, index: number): number {
  return index < length ? (dates[index] ?? 0) : lastMs;
}

function totalAt({ totals, length, lastTotal }: LogState, index: number): number {
  return index < length ? (totals[index] ?? 0) : lastTotal;
}
