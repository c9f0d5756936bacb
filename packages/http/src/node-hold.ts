import type { ServerResponse } from "node:http";
import type { Admitted } from "./gate.js";

/** A response of Node's server; that of HTTP/2 has a stream. */
type NodeResponse = Pick<ServerResponse, "destroyed" | "once" | "off"> & {
  readonly stream?: { readonly destroyed: boolean };
};

/** Whether nobody is there any more to hear the response. */
export function isAbandoned({ destroyed, stream }: Pick<NodeResponse, "destroyed" | "stream">): boolean {
  return destroyed || stream?.destroyed === true;
}

/**
 * Holds a request of Node's server for as long as it has to be held. Resolves with false where its client has left meanwhile:
 * then its units were given back, and there is nobody to answer.
 */
export async function holdOpen(response: NodeResponse, verdict: Admitted): Promise<boolean> {
  if (verdict.delayMs === 0) return true;
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  response.once("close", leave);
  if (isAbandoned(response)) leave();
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
