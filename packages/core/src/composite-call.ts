import { checkCallOptions, questionOf, type Request, readRequest } from "./ask.js";
import { type ByName, byName, isOneForAll } from "./by-name.js";
import type { CompositeOptions } from "./compose.js";
import type { Decision } from "./decision.js";
import { encodeKey } from "./key.js";
import type { ConsumeOptions, Key } from "./limiter.js";
import type { Member } from "./members.js";
import { readDecision } from "./read-decision.js";
import type { Outcome, Question } from "./store.js";

const CALL_OPTIONS: readonly string[] = ["cost", "reserve", "signal"] satisfies (keyof CompositeOptions)[];

/** One limit's part of a call. */
export interface Part {
  readonly member: Member;
  readonly key: Key;
  readonly options: ConsumeOptions;
  readonly request: Request;
  readonly question: Question;
}

/**
 * What a call on several limits asks of each.
 *
 * @throws InvalidKeyError, InvalidCostError
 */
export function partsOf<Name extends string>(
  whose: string,
  members: readonly Member[],
  key: Key | ByName<Name, Key>,
  options: CompositeOptions<Name>,
  commit: boolean,
): Part[] {
  checkCallOptions(() => whose, options, CALL_OPTIONS);
  const names = members.map(({ limit }) => limit.name);
  const { cost: saidCost = 1, reserve: saidReserve = 0, signal } = options;
  const keyOf = byName<Key>(whose, names, key, isOneForAll);
  const costOf = byName<number>(whose, names, saidCost, isOneForAll);
  const reserveOf = byName<number>(whose, names, saidReserve, isOneForAll);
  return members.map((member) => {
    const { limit } = member;
    const { name } = limit;
    const asked = { cost: costOf(name), reserve: reserveOf(name) };
    const request = readRequest(name, asked, commit);
    return {
      member,
      key: keyOf(name),
      options: { ...asked, signal },
      request,
      question: questionOf(limit, encodeKey(name, keyOf(name)), request),
    };
  });
}

/** What each limit decided. */
export function readParts(parts: readonly Part[], outcomes: readonly Outcome[]): Decision[] {
  const isAllowed = outcomes.every(({ taken }) => taken >= 0);
  return parts.flatMap(({ request, question: { limit, key } }, i) => {
    const outcome = outcomes[i];
    const isCharged = isAllowed && request.commit;
    return outcome === undefined ? [] : [readDecision(limit.name, limit, key, request, outcome, isCharged)];
  });
}
