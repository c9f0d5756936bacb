import type { LeaseOptions } from "@sluice/core";
import type { LEASABLE, Shape } from "./leasable.ts";

/** The processes that share a limit. */
export const PROCESSES = 4;
export const SIZE = 10;
/** From portions of a fixed size, and from such as follow the demand. */
export const PORTIONS = {
  fixed: { size: SIZE, maxHoldMs: 200 },
  adaptive: { maxHoldMs: 200 },
} as const satisfies Record<string, LeaseOptions>;

/** Units that come back while they are called for. */
export const FLOWING: Shape = { limit: 500, windowMs: 500 };
export const CALLS_A_SECOND = 500;
/** Units of which none comes back within the test. */
export const STANDING: Shape = { limit: 10_000, windowMs: 2 ** 35 };

/** What one process was granted from one kind of lease. */
export interface Usage {
  readonly algorithm: keyof typeof LEASABLE;
  readonly portions: keyof typeof PORTIONS;
  /** Of the units that come back, the times of all grants by the clock of the store. */
  readonly flowing: readonly number[];
  /** Of the units that do not, how many it was granted until it was denied. */
  readonly standing: number;
}
