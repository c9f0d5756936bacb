import type { CompositeDecision, Decision } from "@sluice/core";

/** A decision without what tells receipts apart: who issued one, and its number. */
export function told(decision: Decision): Decision {
  const { receipt } = decision;
  return { ...decision, receipt: receipt.split(".").slice(2).join(".") };
}

/** A composite's decision likewise, all of its limits included. */
export function allTold(decision: CompositeDecision): CompositeDecision {
  const limits = Object.entries(decision.limits).map(([name, own]) => [name, told(own)]);
  return { ...decision, ...told(decision), limits: Object.fromEntries(limits) };
}
