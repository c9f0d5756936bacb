import type { Admitted } from "@sluice/http";
import type { FastifyReply } from "fastify";

/**
 * Holds a request for as long as it has to be held. Resolves with false where its client has left meanwhile: then its units
 * were given back, and there is nobody to answer.
 */
export async function hold({ raw }: FastifyReply, verdict: Admitted): Promise<boolean> {
  if (verdict.delayMs === 0) return true;
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  raw.once("close", leave);
  if (raw.destroyed) leave();
  try {
    await verdict.hold(leaving.signal);
    return true;
  } catch (error) {
    if (leaving.signal.aborted) return false;
    throw error;
  } finally {
    raw.off("close", leave);
  }
}
