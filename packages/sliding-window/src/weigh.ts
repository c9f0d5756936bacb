import { MAX_EXACT } from "@sluice/core/algorithm";

/** `count * part / whole`, rounded up: exact however large the product. */
export function weigh(count: number, part: number, whole: number): number {
  if (count * part <= MAX_EXACT) return Math.ceil((count * part) / whole);
  return Number((BigInt(count) * BigInt(part) + BigInt(whole) - 1n) / BigInt(whole));
}

/** `count * part / whole`, rounded down: exact however large the product; at most 2^53 - 1. */
export function share(count: number, part: number, whole: number): number {
  if (count * part <= MAX_EXACT) return Math.floor((count * part) / whole);
  return Math.min(MAX_EXACT, Number((BigInt(count) * BigInt(part)) / BigInt(whole)));
}
