import type { Ask, Change, Kernel, Numbers } from "./algorithm-definition.js";
import { factNames } from "./fact-names.js";
import { packNumbers, unpackNumbers } from "./packing.js";
import type { Limit, Outcome } from "./store.js";

/** The least number in any reply: what stands for a denial of a key that is blocked. */
const LEAST = -3;

/** The numbers that a script packed into its reply; undefined when these are not `count` of those that scripts reply. */
export function repliedNumbers(reply: Uint8Array, count: number): number[] | undefined {
  const numbers = unpackNumbers(reply, count);
  return numbers?.every((number) => number >= LEAST) ? numbers : undefined;
}

/** In place of a time: the script asks the server. */
export const SERVER_CLOCK = -1;

/** Added to the number of an algorithm, in a script of several, where it is asked in the usual way. */
export const USUAL = 128;
/** Says of a reply, in a script of several answers, that its facts say it all. */
export const BRIEF = 0x62;
/** Says of such a reply that it is all there. */
export const WHOLE = 0x77;

/** The packed argument of the consume script. */
export function consumeArgument(limit: Limit, ask: Ask, clockMs: number): Uint8Array {
  const { commit, cost, least, reserve } = ask;
  if (commit && least === cost && reserve === 0 && clockMs === SERVER_CLOCK) {
    return cost === 1 ? oneUnitArgument(limit) : packNumbers([cost], limit.params);
  }
  return packNumbers([commit ? 1 : 0, clockMs, cost, least, reserve], limit.params);
}

const oneUnitArguments = new WeakMap<Limit, Uint8Array>();

/** The argument of a limit's most usual call, packed once. */
function oneUnitArgument(limit: Limit): Uint8Array {
  let argument = oneUnitArguments.get(limit);
  if (argument === undefined) {
    argument = packNumbers([1], limit.params);
    oneUnitArguments.set(limit, argument);
  }
  return argument;
}

/** The packed argument of the adjust script. */
export function adjustArgument(limit: Limit, { delta, granted }: Change, clockMs: number): Uint8Array {
  return packNumbers([clockMs, delta], limit.params, granted ?? factNames(limit.kernel).map(() => -1));
}

/** What a script replies for a limit whose key may have a policy; undefined when it is no such reply. */
export function readKeyed({ kernel }: Limit, reply: unknown): Outcome | undefined {
  if (!(reply instanceof Uint8Array)) return undefined;
  const [facts, params] = [factNames(kernel).length, kernel.parameters.length];
  const [granted, ...told] = repliedNumbers(reply, 1 + params + facts) ?? [];
  if (granted !== undefined) {
    const outcome = briefOutcome(kernel, granted, told.slice(params));
    return outcome && { ...outcome, params: told.slice(0, params) };
  }
  const [taken, nowMs, ...all] = repliedNumbers(reply, 2 + params + facts) ?? [];
  if (taken === undefined || nowMs === undefined) return undefined;
  return { taken, nowMs, facts: all.slice(params), params: all.slice(0, params) };
}

/** What a script's packed reply says; undefined when it is no such reply. `cost` is what the call asked for. */
export function readOutcome(kernel: Kernel, cost: number, reply: unknown): Outcome | undefined {
  if (!(reply instanceof Uint8Array)) return undefined;
  const length = factNames(kernel).length;
  const facts = repliedNumbers(reply, length);
  return (facts && briefOutcome(kernel, cost, facts)) ?? readWhole(length, reply);
}

function readWhole(length: number, reply: Uint8Array): Outcome | undefined {
  return wholeOutcome(repliedNumbers(reply, 2 + length) ?? []);
}

/** What a reply says that is all there. */
export function wholeOutcome([taken, nowMs, ...facts]: Numbers): Outcome | undefined {
  return taken === undefined || nowMs === undefined ? undefined : { taken, nowMs, facts };
}

/** What facts alone say: the whole cost was granted, and one of them is the date of the call. */
export function briefOutcome({ dated }: Kernel, cost: number, facts: Numbers): Outcome | undefined {
  const nowMs = dated === undefined ? undefined : facts[dated];
  if (nowMs === undefined || facts.some((fact) => fact < 0)) return undefined;
  return { taken: cost, nowMs, facts };
}

/** The reply of a script that only does something: a whole number. */
export function readCount(reply: unknown): number | undefined {
  // a client may be told to hand numbers out as text
  if (typeof reply === "string" && /^\d+$/.test(reply)) return Number(reply);
  return typeof reply === "number" ? reply : undefined;
}

// a byte order mark is part of a text like any other: the scripts see it too
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The fields of a hash, which come with their values in turn. */
export function readFields(reply: unknown): Record<string, string> | undefined {
  if (!Array.isArray(reply)) return undefined;
  const pairs: [string, string][] = [];
  for (let i = 0; i < reply.length; i += 2) {
    const [field, value]: unknown[] = reply.slice(i, i + 2);
    if (!(field instanceof Uint8Array && value instanceof Uint8Array)) return undefined;
    pairs.push([utf8.decode(field), utf8.decode(value)]);
  }
  return Object.fromEntries(pairs);
}
