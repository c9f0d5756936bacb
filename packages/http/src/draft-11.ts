import type { Decision } from "@sluice/core";
import {
  type BareItem,
  type Item,
  isInnerList,
  type List,
  parseList,
  serializeList,
} from "structured-headers";
import { type AnyDecision, isUsageKnown, limitsIn } from "./any-decision.js";
import type { Field } from "./field.js";
import { fieldNumber, resetSeconds, wholeSeconds } from "./seconds.js";

/**
 * draft-ietf-httpapi-ratelimit-headers-11: what the policies are (`q`: quota, `w`: window), and what is left of them
 * (`r`: remaining, `t`: seconds until there is more). Both are lists (RFC 9651), and a name stands in each but once.
 */
export function draft11(decision: AnyDecision): Field[] {
  const limits = limitsIn(decision);
  const known = limits.filter(isUsageKnown);
  const fields: Field[] = [{ name: "RateLimit-Policy", value: serializeList(limits.map(policy)), join }];
  // a list must not be empty
  if (known.length > 0) fields.push({ name: "RateLimit", value: serializeList(known.map(left)), join });
  return fields;
}

function policy({ name, limit, windowMs }: Decision): Item {
  const parameters = new Map([["q", fieldNumber(limit)]]);
  // a window must not be 0
  if (windowMs > 0) parameters.set("w", wholeSeconds(windowMs));
  return [name, parameters];
}

function left(limit: Decision): Item {
  const parameters = new Map([
    ["r", fieldNumber(limit.remaining)],
    ["t", resetSeconds(limit)],
  ]);
  return [limit.name, parameters];
}

/** What a response says already of other limits stays; of two limits with the same name, the tighter one. */
function join(present: string, added: string): string {
  const limits = new Map<BareItem, Item>();
  for (const limit of [...others(present), ...parseList(added)]) {
    if (isInnerList(limit)) continue;
    const other = limits.get(limit[0]);
    if (other === undefined || amountOf(limit) < amountOf(other)) limits.set(limit[0], limit);
  }
  return serializeList([...limits.values()]);
}

/** What is left of it or, among policies, its quota. */
function amountOf([, parameters]: Item): number {
  return Number(parameters.get("r") ?? parameters.get("q"));
}

/** What makes no sense has to be ignored by clients anyway, and would spoil the rest. */
function others(present: string): List {
  try {
    return parseList(present);
  } catch {
    return [];
  }
}
