import type { Decision } from "@sluice/core";

/** What came of something: a value, or the code or text of an error. */
export type Outcome<Value> = { readonly value: Value } | { readonly error: string };

export async function outcomeOf<Value>(work: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof Error && "code" in error) return { error: String(error.code) };
    return { error: String(error) };
  }
}

/** A Decision without what is different each time: who issued the receipt, and its number. */
export function told(decision: Decision): Decision {
  const [, , ...facts] = decision.receipt.split(".");
  return { ...decision, receipt: facts.join(".") };
}

/** As JSON, in which an endless wait has a word of its own. */
export function written(value: unknown): string {
  return (
    JSON.stringify(value, (_, part) => (part === Number.POSITIVE_INFINITY ? "for ever" : part)) ?? "nothing"
  );
}
