import { wide } from "@sluice/algorithm-proof";
import fc from "fast-check";
import { expect, it } from "vitest";
import { share, weigh } from "../src/weigh.js";
import { LARGEST_COUNTER } from "./policies.js";

const counts = wide(0, Number.MAX_SAFE_INTEGER);
/** A window, and as much of it as is covered. */
const covered = wide(1, LARGEST_COUNTER.windowMs).chain((whole) =>
  fc.record({ part: wide(1, whole), whole: fc.constant(whole) }),
);

it("weighs a count by a part of a window, rounded up, exact however large", () => {
  const property = fc.property(counts, covered, (count, { part, whole }) => {
    const weight = BigInt(weigh(count, part, whole));
    const product = BigInt(count) * BigInt(part);
    expect(weight * BigInt(whole)).toBeGreaterThanOrEqual(product);
    expect((weight - 1n) * BigInt(whole)).toBeLessThan(product);
  });
  fc.assert(property, { numRuns: 1_000 });
});

it("tells how much of a window may be covered, rounded down, exact however large", () => {
  const divisors = wide(1, Number.MAX_SAFE_INTEGER);
  const property = fc.property(counts, wide(1, LARGEST_COUNTER.windowMs), divisors, (count, part, whole) => {
    const exact = (BigInt(count) * BigInt(part)) / BigInt(whole);
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    expect(BigInt(share(count, part, whole))).toBe(exact > most ? most : exact);
  });
  fc.assert(property, { numRuns: 1_000 });
});
