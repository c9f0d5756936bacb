import { type AnyDecision, isUsageKnown } from "./any-decision.js";
import type { Field, HeaderSink } from "./field.js";
import { fieldNumber, resetSeconds } from "./seconds.js";

/** Three fields of one number each. They have room for one limit: of several, the one that decided, or has the least left. */
export function separateFields(prefix: string, decision: AnyDecision): Field[] {
  const limit = { name: `${prefix}-Limit`, value: String(fieldNumber(decision.limit)) };
  if (!isUsageKnown(decision)) return [limit];
  const remaining = { name: `${prefix}-Remaining`, value: String(fieldNumber(decision.remaining)) };
  const reset = { name: `${prefix}-Reset`, value: String(resetSeconds(decision)) };
  const isTighter = (headers: HeaderSink): boolean =>
    decision.remaining < Number(headers.get(remaining.name) ?? Number.POSITIVE_INFINITY);
  // a denial is told by the limit that denies
  const speaks = (headers: HeaderSink): boolean =>
    !decision.allowed || (isTighter(headers) && headers.get("Retry-After") === null);
  const join = (present: string, added: string, headers: HeaderSink): string =>
    speaks(headers) ? added : present;
  return [limit, remaining, reset].map((field) => ({ ...field, join }));
}
