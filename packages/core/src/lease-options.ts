import { InvalidPolicyError } from "./errors.js";
import { checkKnown } from "./known-options.js";
import type { Limit } from "./store.js";
import { isWhole, MAX_EXACT, MAX_TIMER_MS, shown } from "./whole.js";

/** How a limiter is leased from: in portions of `size` units, or in portions that follow the demand. */
export interface LeaseOptions {
  /** Units that are taken at a time for each key; whole, from 1 to the limit. */
  size?: number | undefined;
  /** Portions that follow the demand of each key; the default where no `size` is given. */
  adaptive?: boolean | undefined;
  /** For how long units are held at most, in milliseconds; whole, from 1 to 2^31 - 1; default 1,000. */
  maxHoldMs?: number | undefined;
}

/** The same, read. */
export interface LeaseTerms {
  /** Undefined where it follows the demand. */
  readonly size: number | undefined;
  readonly maxHoldMs: number;
}

const KNOWN_OPTIONS: readonly string[] = ["size", "adaptive", "maxHoldMs"] satisfies (keyof LeaseOptions)[];
const DEFAULT_MAX_HOLD_MS = 1_000;

/** @throws InvalidPolicyError */
export function readLeaseOptions({ name, limit, perKey }: Limit, options: LeaseOptions): LeaseTerms {
  const whose = `leased ${shown(name)}`;
  checkKnown(whose, options, KNOWN_OPTIONS);
  const { size, adaptive = size === undefined, maxHoldMs = DEFAULT_MAX_HOLD_MS } = options;
  const refuse = (problem: string): never => {
    throw new InvalidPolicyError(`${whose}: ${problem}`);
  };
  if (adaptive !== (size === undefined)) {
    refuse(`either a size or adaptive: true, got size ${shown(size)} and adaptive ${shown(adaptive)}`);
  }
  // a key's own policy may be larger, and where it is smaller the store gives what there is
  const most = perKey ? MAX_EXACT : limit;
  if (size !== undefined && !isWhole(size, 1, most)) {
    refuse(`size must be a whole number from 1 to ${most}, which is the limit, got ${shown(size)}`);
  }
  if (!isWhole(maxHoldMs, 1, MAX_TIMER_MS)) {
    refuse(`maxHoldMs must be a whole number from 1 to ${MAX_TIMER_MS}, got ${shown(maxHoldMs)}`);
  }
  return { size, maxHoldMs };
}
