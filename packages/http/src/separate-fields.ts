import { type AnyDecision, isUsageKnown } from "./any-decision.js";
import type { Field } from "./field.js";
import { fieldNumber, resetSeconds } from "./seconds.js";

/** Three fields of one number each. They have room for one limit: of several, the one that decided. */
export function separateFields(prefix: string, decision: AnyDecision): Field[] {
  const limit = { name: `${prefix}-Limit`, value: String(fieldNumber(decision.limit)) };
  if (!isUsageKnown(decision)) return [limit];
  return [
    limit,
    { name: `${prefix}-Remaining`, value: String(fieldNumber(decision.remaining)) },
    { name: `${prefix}-Reset`, value: String(resetSeconds(decision)) },
  ];
}
