import type { AnyDecision } from "./any-decision.js";
import type { Field } from "./field.js";
import { separateFields } from "./separate-fields.js";

/**
 * `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset`, which were never specified. The last is in seconds
 * from now, as those of the drafts, so that clocks may differ.
 */
export function legacy(decision: AnyDecision): Field[] {
  return separateFields("X-RateLimit", decision);
}
