import type { Kernel } from "./algorithm-definition.js";
import { factNames } from "./fact-names.js";
import { BYTES_PER_NUMBER, joined, numbersAt, packNumbers } from "./packing.js";
import { BRIEF, briefOutcome, USUAL, WHOLE, wholeOutcome } from "./script-messages.js";
import type { Outcome, Question } from "./store.js";

/** What one byte can count. */
const LONGEST_RUN = 255;
const ERROR = 0x65;
/** The least number in any reply: what stands for a denial. */
const LEAST = -1;

const utf8 = new TextDecoder();

/** Calls that differ in their keys alone. */
interface Run {
  readonly question: Question;
  count: number;
}

/** The argument of the batch script; `algorithms` are the kernels as it numbers them. */
export function batchArgument(
  questions: readonly Question[],
  algorithms: readonly Kernel[],
  clockMs: number,
): Uint8Array {
  const runs: Run[] = [];
  for (const question of questions) {
    const last = runs.at(-1);
    if (last !== undefined && isAlike(last.question, question) && last.count < LONGEST_RUN) last.count += 1;
    else runs.push({ question, count: 1 });
  }
  const chunks = runs.flatMap(({ question: { limit, ask }, count }) => {
    const { commit, cost, least, reserve } = ask;
    const isUsual = commit && least === cost && reserve === 0;
    const code = 1 + algorithms.indexOf(limit.kernel) + (isUsual ? USUAL : 0);
    const asked = isUsual ? [cost] : [cost, commit ? 1 : 0, least, reserve];
    return [Uint8Array.of(code, count), packNumbers(asked, limit.params)];
  });
  return joined([packNumbers([clockMs]), ...chunks]);
}

function isAlike(one: Question, other: Question): boolean {
  if (one.limit !== other.limit) return false;
  if (one.ask === other.ask) return true;
  const { commit, cost, least, reserve } = one.ask;
  const { ask } = other;
  return commit === ask.commit && cost === ask.cost && least === ask.least && reserve === ask.reserve;
}

/** What the batch script replies: for each call its outcome, or the error of that one alone; undefined if it is no such reply. */
export function readBatch(questions: readonly Question[], reply: unknown): (Outcome | Error)[] | undefined {
  if (!(reply instanceof Uint8Array) || reply.length < questions.length) return undefined;
  const view = new DataView(reply.buffer, reply.byteOffset, reply.length);
  const answers: (Outcome | Error)[] = [];
  let offset = questions.length;
  for (const [i, { limit, ask }] of questions.entries()) {
    const kind = reply[i];
    if (kind === ERROR) {
      const length = offset + 2 <= reply.length ? view.getUint16(offset, true) : reply.length;
      if (offset + 2 + length > reply.length) return undefined;
      answers.push(new Error(utf8.decode(reply.subarray(offset + 2, offset + 2 + length))));
      offset += 2 + length;
      continue;
    }
    if (kind !== WHOLE && kind !== BRIEF) return undefined;
    const count = factNames(limit.kernel).length + (kind === WHOLE ? 2 : 0);
    const numbers = numbersAt(view, offset, count);
    if (numbers === undefined || numbers.some((number) => number < LEAST)) return undefined;
    const outcome = kind === BRIEF ? briefOutcome(limit.kernel, ask.cost, numbers) : wholeOutcome(numbers);
    if (outcome === undefined) return undefined;
    answers.push(outcome);
    offset += count * BYTES_PER_NUMBER;
  }
  return offset === reply.length ? answers : undefined;
}
