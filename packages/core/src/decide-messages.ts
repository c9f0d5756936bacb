import type { Kernel, Numbers } from "./algorithm-definition.js";
import { factNames } from "./fact-names.js";
import { BYTES_PER_NUMBER, joined, packNumbers } from "./packing.js";
import { BRIEF, briefOutcome, repliedNumbers, SERVER_CLOCK, USUAL, WHOLE } from "./script-messages.js";
import type { Limit, Outcome, Question } from "./store.js";

const NOTHING = new Uint8Array();

/**
 * The argument of the script that decides on several limits; `algorithms` are their kernels as it numbers them. What is
 * as usual is left out: a number less to unpack is a hundred instructions of the server.
 */
export function decideArgument(
  questions: readonly Question[],
  algorithms: readonly Kernel[],
  clockMs: number,
): Uint8Array {
  const commit = questions.some(({ ask }) => ask.commit);
  const isUsualCall = commit && clockMs === SERVER_CLOCK;
  const codes = [...questions.map((question) => codeOf(question, algorithms)), 0];
  const chunks: Uint8Array[] = [Uint8Array.of(isUsualCall ? 1 : 0)];
  if (!isUsualCall) chunks.push(packNumbers([commit ? 1 : 0, clockMs]));
  // the first code, then each limit after the code of the next one
  codes.forEach((code, i) => {
    const question = questions[i - 1];
    chunks.push(Uint8Array.of(code), question === undefined ? NOTHING : numbersOf(question));
  });
  return joined(chunks);
}

/** Which algorithm a limit is of, and whether it is asked in the usual way. */
function codeOf(question: Question, algorithms: readonly Kernel[]): number {
  return 1 + algorithms.indexOf(question.limit.kernel) + (isUsual(question) ? USUAL : 0);
}

function numbersOf(question: Question): Uint8Array {
  const { limit, ask } = question;
  const { cost, least, reserve } = ask;
  const { params, perKey, blockForMs = -1 } = limit;
  if (isUsual(question)) return packNumbers([cost], params);
  return packNumbers([cost, least, reserve, limit.limit, perKey ? 1 : 0, blockForMs], params);
}

function isUsual({ limit, ask }: Question): boolean {
  return ask.least === ask.cost && ask.reserve === 0 && !limit.perKey && limit.blockForMs === undefined;
}

/** What that script replies; undefined when it is no such reply. */
export function readOutcomes(questions: readonly Question[], reply: unknown): Outcome[] | undefined {
  if (!(reply instanceof Uint8Array)) return undefined;
  const outcomes: Outcome[] = [];
  let offset = 0;
  for (const { limit, ask } of questions) {
    const isBrief = reply[offset] === BRIEF;
    if (!isBrief && reply[offset] !== WHOLE) return undefined;
    const count = isBrief ? factNames(limit.kernel).length : wholeCount(limit);
    const end = offset + 1 + count * BYTES_PER_NUMBER;
    const numbers = repliedNumbers(reply.subarray(offset + 1, end), count);
    const outcome =
      numbers && (isBrief ? briefOutcome(limit.kernel, ask.cost, numbers) : readWhole(limit, numbers));
    if (outcome === undefined) return undefined;
    outcomes.push(outcome);
    offset = end;
  }
  return offset === reply.length ? outcomes : undefined;
}

function wholeCount({ kernel, perKey }: Limit): number {
  return 3 + factNames(kernel).length + (perKey ? kernel.parameters.length : 0);
}

function readWhole({ kernel, perKey }: Limit, numbers: Numbers): Outcome | undefined {
  const [taken, nowMs, blockedUntilMs, ...told] = numbers;
  if (taken === undefined || nowMs === undefined) return undefined;
  const length = factNames(kernel).length;
  return {
    taken,
    nowMs,
    facts: told.slice(0, length),
    blockedUntilMs: blockedUntilMs === 0 ? undefined : blockedUntilMs,
    params: perKey ? told.slice(length) : undefined,
  };
}
