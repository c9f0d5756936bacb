import type { Ask, Change, Kernel, Numbers } from "./algorithm-definition.js";
import { factNames } from "./fact-names.js";
import { packNumbers, unpackNumbers } from "./packing.js";
import type { Limit, Outcome } from "./store.js";

/** In place of a time: the script asks the server. */
export const SERVER_CLOCK = -1;

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

/** What a script's packed reply says; undefined when it is no such reply. `cost` is what the call asked for. */
export function readOutcome(kernel: Kernel, cost: number, reply: unknown): Outcome | undefined {
  if (!(reply instanceof Uint8Array)) return undefined;
  const length = factNames(kernel).length;
  return readBrief(length, kernel.dated, cost, reply) ?? readWhole(length, reply);
}

function readWhole(length: number, reply: Uint8Array): Outcome | undefined {
  const [taken, nowMs, ...facts] = unpackNumbers(reply, 2 + length) ?? [];
  return taken === undefined || nowMs === undefined ? undefined : { taken, nowMs, facts };
}

/** The facts alone: the whole cost was granted, and one of them is the date of the call. */
function readBrief(
  length: number,
  dated: number | undefined,
  cost: number,
  reply: Uint8Array,
): Outcome | undefined {
  if (dated === undefined) return undefined;
  const facts: Numbers | undefined = unpackNumbers(reply, length);
  const nowMs = facts?.[dated];
  return facts === undefined || nowMs === undefined ? undefined : { taken: cost, nowMs, facts };
}
