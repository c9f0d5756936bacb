import type { CompiledPolicy } from "./algorithm-definition.js";
import { fieldsOf, optionsIn } from "./policy-fields.js";

/** Shares are fractions, and fractions are not exact: what is so close to a whole number was meant to be it. */
const ALMOST = 1e-9;

/**
 * The options for a share of a policy: so much less of its limit, at least 1 where there was any, and a rate so much
 * slower. Undefined where its data names neither a limit nor a capacity.
 */
export function sharedOptions(
  { limit, data }: Pick<CompiledPolicy, "limit" | "data">,
  share: number,
): Readonly<Record<string, unknown>> | undefined {
  const shared = limit === 0 ? 0 : Math.max(1, Math.floor(limit * share + ALMOST));
  const options = Object.entries(optionsIn(fieldsOf(data))).map(([name, value]) => {
    if (isRate(value)) return [name, { ...value, every: Math.ceil(value.every / share - ALMOST) }] as const;
    // a queue takes one more than its capacity
    return [name, name === "limit" || name === "capacity" ? Number(value) - limit + shared : value] as const;
  });
  return "limit" in data || "capacity" in data ? Object.fromEntries(options) : undefined;
}

function isRate(value: unknown): value is { readonly every: number } {
  return typeof value === "object" && value !== null && "every" in value && typeof value.every === "number";
}
