import { wide } from "@sluice/algorithm-proof";
import fc from "fast-check";
import type { FixedWindowOptions } from "../src/fixed-window.js";

/** The largest limit: a call may ask for one more. */
export const LARGEST_LIMIT = Number.MAX_SAFE_INTEGER - 1;
const LONGEST_WINDOW_MS = 2 ** 52;

/** Windows of every size and length, most of them with the usual anchor. */
export function policies(usual: "clock" | "first"): fc.Arbitrary<FixedWindowOptions> {
  return fc.record({
    limit: fc.oneof(wide(1, LARGEST_LIMIT), fc.integer({ min: 1, max: 20 })),
    window: fc.oneof(wide(1, LONGEST_WINDOW_MS), fc.integer({ min: 1, max: 100_000 })),
    anchor: fc.oneof(
      { weight: 4, arbitrary: fc.constant(usual) },
      { weight: 1, arbitrary: fc.constantFrom("clock" as const, "first" as const) },
    ),
  });
}
