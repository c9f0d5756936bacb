import { acquire, never, type Wanted } from "./acquire.js";
import { isNever } from "./ask.js";
import type { CompositeDecision } from "./compose.js";
import type { Part } from "./composite-call.js";
import type { Decision } from "./decision.js";
import { InvalidKeyError } from "./errors.js";
import { foreseenWaitMs } from "./foresight.js";
import { keyId } from "./waiting-lines.js";

/** What somebody waits for on several limits at once. */
export interface WantedOfAll<Name extends string>
  extends Pick<
    Wanted<CompositeDecision<Name>>,
    "whose" | "maxWaitMs" | "signal" | "attempt" | "giveBack" | "isOwn"
  > {
  readonly parts: readonly Part[];
}

/** Waits until several limits allow a call at once. */
export async function acquireAll<Name extends string>({
  parts,
  ...wanted
}: WantedOfAll<Name>): Promise<CompositeDecision<Name>> {
  const { whose, signal } = wanted;
  if (signal?.aborted) throw signal.reason;
  const [first] = parts;
  if (first === undefined) throw new InvalidKeyError(`${whose}: there is no limit to wait for`);
  if (parts.some(({ request, question: { limit } }) => !limit.perKey && isNever(request, limit.limit))) {
    throw never(whose);
  }
  return acquire<CompositeDecision<Name>>({
    ...wanted,
    place: {
      store: first.member.store,
      keyIds: parts.map(({ question: { limit, key } }) => keyId(limit, key)),
    },
    asks: parts
      .map(({ request, question: { limit } }) => `${limit.params}/${request.cost}/${request.reserve}`)
      .join(" "),
    maxWaiters: Math.min(...parts.map(({ member }) => member.maxWaiters)),
    foresee: (granted) => Math.max(...foreseenWaits(parts, granted)),
  });
}

function foreseenWaits(parts: readonly Part[], granted: Decision): number[] {
  const limits = new Map<string, Decision>(Object.entries(Reflect.get(granted, "limits") ?? {}));
  return parts.map(({ request, question: { limit } }) => {
    const own = limits.get(limit.name);
    return own === undefined ? 0 : foreseenWaitMs(limit, own, request);
  });
}
