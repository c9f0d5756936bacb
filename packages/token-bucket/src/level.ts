import { MAX_EXACT } from "@sluice/core/algorithm";

/**
 * What is used once `elapsedMs` have refilled some of it. A product beyond 2^53 is rounded, and beyond any level all
 * the same.
 */
export function refilled(usedUnits: number, elapsedMs: number, refillPerMs: number): number {
  return Math.max(0, usedUnits - elapsedMs * refillPerMs);
}

/**
 * Units counted `from` a token, in units counted `to` a token: whole tokens stay, a part of one is rounded up, to the
 * unit where the product is exact and to the token where it is not. So a changed rate takes less than one token from
 * the caller, and none that could have been consumed.
 */
export function rescaled(units: number, from: number, to: number): number {
  if (from === to) return units;
  const part = units % from;
  const whole = Math.min(((units - part) / from) * to, MAX_EXACT);
  if (part === 0) return whole;
  return Math.min(whole + (part * to <= MAX_EXACT ? Math.ceil((part * to) / from) : to), MAX_EXACT);
}
