/** The timeout of every store under load. */
export const TIMEOUT_MS = 500;

/** What callers do for a while, and under which keys. */
export interface Round {
  /** Stands in the keys of this round and of no other. */
  readonly name: string;
  /** The limit of what can be used up: so small that it is, in the middle of the round. */
  readonly scarce: number;
}

export type Title = "bucket" | "log" | "plenty" | "broken";

/** One key and those who call for it. */
export interface Demand {
  readonly title: Title;
  /** Whether it can be used up. */
  readonly isScarce: boolean;
  /** In each process. */
  readonly callers: number;
  /** Between an answer and the next call. */
  readonly pauseMs: number;
  readonly cost: number;
}

const scarcely = { isScarce: true, callers: 4, pauseMs: 120, cost: 1 } as const;

/** All that the callers of a process ask for. */
export const DEMANDS: readonly Demand[] = [
  { title: "bucket", ...scarcely },
  { title: "log", ...scarcely },
  { title: "plenty", isScarce: false, callers: 10, pauseMs: 8, cost: 3 },
  // a fault may put something else under its key
  { title: "broken", isScarce: false, callers: 2, pauseMs: 20, cost: 1 },
];

export function keyOf(title: Title, round: Round): string {
  return `${title}.${round.name}`;
}
