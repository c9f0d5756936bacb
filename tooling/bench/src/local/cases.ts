import type { LocalCase } from "./case.ts";
import { denialCases } from "./denial-cases.ts";
import { leaseCases } from "./lease-cases.ts";
import { memoryCases } from "./memory-cases.ts";

/** All that is compared within one process, group by group. */
export function localCases(): readonly LocalCase[] {
  return [...memoryCases(), ...denialCases(), ...leaseCases()];
}
