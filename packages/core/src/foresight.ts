import { askOf, LOOK, type Request } from "./ask.js";
import type { Decision } from "./decision.js";
import { factNames } from "./fact-names.js";
import { readReceipt } from "./receipt.js";
import type { Limit } from "./store.js";

/**
 * For how long a request would be denied right after a grant, if nobody else took or gave anything: 0 where it would pass,
 * or where that cannot be told from what the receipt remembers.
 */
export function foreseenWaitMs(limit: Limit, granted: Decision, request: Request): number {
  const { receipt, remaining, decidedAtMs, source } = granted;
  const needed = request.least + request.reserve;
  // what another plan was granted says nothing of this one, and a key's own policy is not known here
  if (granted.limit !== limit.limit || granted.windowMs !== limit.windowMs) return 0;
  const { kernel, params } = limit;
  if (receipt === "" || source !== "store" || limit.perKey || needed <= remaining || !kernel.foresees)
    return 0;
  const { granted: facts } = readReceipt(limit.name, kernel.tag, receipt, factNames(kernel).length);
  const ask = { ...askOf(request, limit.limit), commit: LOOK.commit };
  return Math.max(0, kernel.report(facts, decidedAtMs, -1, ask, params).retryAfterMs);
}
