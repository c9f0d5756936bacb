import type { Bench } from "./bench.ts";
import type { Need } from "./candidate.ts";

/** One thing that a store must do for every algorithm. */
export interface Check {
  /** What is so where the check succeeds. */
  readonly title: string;
  /** What a candidate must hand over for it; the check shows as a skip where it has not. */
  readonly needs?: Need;
  /** Put to what is but another way to connect, too: on behalf of all algorithms for one of them, or for each. */
  readonly ofConnections?: "for one" | "for each";
  /** Rejects where it is not so. */
  run(bench: Bench): Promise<void>;
}

/** Checks of one kind. */
export interface Topic {
  readonly title: string;
  /** They wait for real time to pass, so they run at once, those of all algorithms. */
  readonly waits?: boolean;
  readonly checks: readonly Check[];
}
