import type { Decision } from "./decision.js";
import type { ConsumeOptions, Fallback, Key, StoreFailurePolicy } from "./limiter.js";
import { membersOf } from "./members.js";
import { shown } from "./whole.js";

/** Stands before a receipt that a fallback gave, once for each limiter it was handed through. */
const MARK = "~";

/** What a fallback decides, in the place of a limiter whose store failed. */
export async function askFallback<Name extends string>(
  fallback: Fallback<Name>,
  key: Key,
  options: ConsumeOptions,
  commit: boolean,
): Promise<Decision<Name>> {
  const { atLeast, ...others } = options;
  // a composite takes all or nothing
  const asked = atLeast !== undefined && isComposite(fallback) ? { ...others, cost: atLeast } : options;
  return asFallbacks(await (commit ? fallback.consume(key, asked) : fallback.peek(key, asked)));
}

/** Marks a decision as one that a fallback gave. */
export function asFallbacks<Name extends string>(decision: Decision<Name>): Decision<Name> {
  const receipt = decision.receipt === "" ? "" : MARK + decision.receipt;
  return { ...decision, receipt, source: "fallback" };
}

/** A fallback's decision as the fallback itself gave it; undefined for any other. */
export function fallbacksOwn(decision: Decision, fallback: unknown): Decision | undefined {
  if (decision?.source !== "fallback" || !isFallback(fallback)) return undefined;
  if (!decision.receipt.startsWith(MARK)) return decision;
  const receipt = decision.receipt.slice(MARK.length);
  // it may have got it from a fallback of its own
  return { ...decision, receipt, source: receipt.startsWith(MARK) ? "fallback" : "store" };
}

/** @throws what `refuse` throws of what is no policy */
export function checkedFailurePolicy<Name extends string>(
  policy: unknown,
  refuse: (problem: string) => never,
): StoreFailurePolicy<Name> {
  if (policy === undefined) return "throw";
  if (policy === "throw" || policy === "allow" || policy === "deny" || isFallback<Name>(policy))
    return policy;
  return refuse(
    `onStoreFailure must be "throw", "allow", "deny" or a limiter to ask instead, got ${shown(policy)}`,
  );
}

/** Whether something can answer for a limiter; its decisions are typed as that limiter's, though they name their own. */
function isFallback<Name extends string>(value: unknown): value is Fallback<Name> {
  if (typeof value !== "object" || value === null) return false;
  return ["consume", "peek", "refund", "settle", "reset"].every(
    (method) => typeof Reflect.get(value, method) === "function",
  );
}

function isComposite(limiter: object): boolean {
  return (membersOf(limiter)?.length ?? 1) > 1;
}
