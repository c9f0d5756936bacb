import type { Kernel } from "./algorithm-definition.js";
import { factNames } from "./fact-names.js";
import { briefOutcome } from "./script-messages.js";
import type { Outcome, Question } from "./store.js";

/** Added to the number of an algorithm where calls are asked in the usual way. */
const USUAL = 128;
/** What one byte can count. */
const LONGEST_RUN = 255;
const BYTES_PER_NUMBER = 8;
const RUN_HEAD_BYTES = 2;
/** Of cost, mode, least and reserve. */
const ASK_NUMBERS = 4;
const BRIEF = 0x62;
const WHOLE = 0x77;
const ERROR = 0x65;
/** The least number in any reply: what stands for a denial. */
const LEAST = -1;

const utf8 = new TextDecoder();

/** The argument of the batch script; `algorithms` are the kernels as it numbers them. */
export function batchArgument(
  questions: readonly Question[],
  algorithms: readonly Kernel[],
  clockMs: number,
): Uint8Array {
  const most = questions.reduce(
    (sum, { limit }) => sum + RUN_HEAD_BYTES + bytesOf(ASK_NUMBERS + limit.params.length),
    0,
  );
  const bytes = new Uint8Array(BYTES_PER_NUMBER + most);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, clockMs, true);
  let offset = BYTES_PER_NUMBER;
  let countAt = 0;
  let before: Question | undefined;
  for (const question of questions) {
    if (before !== undefined && isAlike(before, question) && (bytes[countAt] ?? 0) < LONGEST_RUN) {
      bytes[countAt] = (bytes[countAt] ?? 0) + 1;
      continue;
    }
    const { limit, ask } = question;
    const isUsual = ask.commit && ask.least === ask.cost && ask.reserve === 0;
    bytes[offset] = 1 + algorithms.indexOf(limit.kernel) + (isUsual ? USUAL : 0);
    countAt = offset + 1;
    bytes[countAt] = 1;
    offset += RUN_HEAD_BYTES;
    const asked = isUsual ? [ask.cost] : [ask.cost, ask.commit ? 1 : 0, ask.least, ask.reserve];
    for (const number of asked) {
      view.setFloat64(offset, number, true);
      offset += BYTES_PER_NUMBER;
    }
    for (const number of limit.params) {
      view.setFloat64(offset, number, true);
      offset += BYTES_PER_NUMBER;
    }
    before = question;
  }
  return bytes.subarray(0, offset);
}

function bytesOf(numbers: number): number {
  return numbers * BYTES_PER_NUMBER;
}

/** Whether two calls differ in their keys alone. */
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
    const count = factNames(limit.kernel).length + (kind === WHOLE ? 2 : 0);
    if ((kind !== WHOLE && kind !== BRIEF) || offset + bytesOf(count) > reply.length) return undefined;
    const numbers: number[] = [];
    for (let n = 0; n < count; n++) {
      const number = view.getFloat64(offset, true);
      if (!Number.isSafeInteger(number) || number < LEAST) return undefined;
      numbers.push(number);
      offset += BYTES_PER_NUMBER;
    }
    const outcome = kind === BRIEF ? briefOutcome(limit.kernel, ask.cost, numbers) : whole(numbers);
    if (outcome === undefined) return undefined;
    answers.push(outcome);
  }
  return offset === reply.length ? answers : undefined;
}

function whole([taken, nowMs, ...facts]: readonly number[]): Outcome | undefined {
  return taken === undefined || nowMs === undefined ? undefined : { taken, nowMs, facts };
}
