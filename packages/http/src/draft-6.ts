import type { AnyDecision } from "./any-decision.js";
import type { Field } from "./field.js";
import { separateFields } from "./separate-fields.js";

/** draft-ietf-httpapi-ratelimit-headers-06: `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset` in seconds. */
export function draft6(decision: AnyDecision): Field[] {
  return separateFields("RateLimit", decision);
}
