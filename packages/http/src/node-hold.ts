import type { ServerResponse } from "node:http";
import type { Admitted } from "./gate.js";

/**
 * Holds a request of Node's server for as long as it has to be held. Resolves with false where its client has left meanwhile:
 * then its units were given back, and there is nobody to answer.
 */
export async function holdOpen(
  response: Pick<ServerResponse, "destroyed" | "once" | "off">,
  verdict: Admitted,
): Promise<boolean> {
  if (verdict.delayMs === 0) return true;
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  response.once("close", leave);
  if (response.destroyed) leave();
  try {
    await verdict.hold(leaving.signal);
    return true;
  } catch (error) {
    if (leaving.signal.aborted) return false;
    throw error;
  } finally {
    response.off("close", leave);
  }
}
