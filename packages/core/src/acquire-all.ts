import { acquire, never, type Wanted } from "./acquire.js";
import { isNever } from "./ask.js";
import type { CompositeDecision } from "./compose.js";
import type { Part } from "./composite-call.js";
import type { Decision } from "./decision.js";
import { InvalidKeyError } from "./errors.js";
import { foreseenWaitMs } from "./foresight.js";
import type { Foreseen } from "./waiter.js";
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
      .map(
        ({ request, question: { limit } }) =>
          `${limit.space}/${limit.params}/${request.cost}/${request.reserve}`,
      )
      .join(" "),
    maxWaiters: Math.min(...parts.map(({ member }) => member.maxWaiters)),
    foresee: (granted) => longest(foreseenOf(parts, granted)),
    deniedBy: (denied) => deniedBy(parts, denied),
  });
}

/** What a store that fails is not asked for is denied by no key of it. */
function deniedBy(parts: readonly Part[], { name, source }: Decision): string | undefined {
  const part = parts.find(({ question: { limit } }) => source === "store" && limit.name === name);
  return part && keyId(part.question.limit, part.question.key);
}

/** What each limit would say, as far as the same key of it was granted. */
function foreseenOf(parts: readonly Part[], granted: Decision): Foreseen[] {
  const limits = new Map<string, Decision>(Object.entries(Reflect.get(granted, "limits") ?? {}));
  return parts.map(({ request, question: { limit, key } }) => {
    const own = limits.get(limit.name);
    const waitMs = own?.key === key ? foreseenWaitMs(limit, own, request) : 0;
    return { waitMs, by: keyId(limit, key) };
  });
}

function longest(foreseen: readonly Foreseen[]): Foreseen {
  return foreseen.reduce((best, next) => (next.waitMs > best.waitMs ? next : best));
}
