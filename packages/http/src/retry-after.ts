import type { AnyDecision } from "./any-decision.js";
import type { Field } from "./field.js";
import { retryAfterSeconds } from "./seconds.js";

/** `Retry-After` of a denial in whole seconds (RFC 9110), where the same call will ever pass. */
export function retryAfter(decision: AnyDecision): Field[] {
  const seconds = retryAfterSeconds(decision);
  return seconds === undefined ? [] : [{ name: "Retry-After", value: String(seconds), join: later }];
}

/** The later of two numbers of seconds. A date is left as it is. */
function later(present: string, added: string): string {
  return /^\d+$/.test(present) && Number(present) < Number(added) ? added : present;
}
