import type { Decision, Limiter } from "@sluice/core";

/** Settles a decision; undefined where that would be a debt too large to be counted exactly, so that nothing changed. */
export async function settleIfCountable(
  limiter: Limiter,
  decision: Decision,
  actualCost: number,
): Promise<Decision | undefined> {
  try {
    return await limiter.settle(decision, actualCost);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_SLUICE_INVALID_COST")
      return undefined;
    throw error;
  }
}
