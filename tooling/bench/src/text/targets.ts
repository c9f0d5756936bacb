import type { Target } from "../targets.ts";
import { fixed, table, whole } from "./table.ts";

const HEAD = ["target", "of", "wanted", "measured", ""];

export function targetsText(targets: readonly Target[]): string | undefined {
  return targets.length === 0 ? undefined : table(HEAD, targetCells(targets));
}

/** A row for each target: what, of what, how much was wanted and measured, and whether it is met. */
export function targetCells(targets: readonly Target[]): string[][] {
  return targets.map(({ of, what, wanted, measured, isMet }) => [
    what,
    of,
    "atLeast" in wanted ? `at least ${amount(wanted.atLeast)}` : `at most ${amount(wanted.atMost)}`,
    amount(measured),
    isMet ? "met" : "missed",
  ]);
}

function amount(value: number): string {
  return value >= 100 || Number.isInteger(value) ? whole(value) : fixed(value, 2);
}
