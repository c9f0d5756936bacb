import type { Kernel } from "./algorithm-definition.js";
import { batchArgument, readBatch } from "./batch-messages.js";
import type { Pending } from "./batcher.js";
import { batchScript } from "./decide-script.js";
import { WithdrawnError } from "./not-sent-error.js";
import { type FailedCall, failure, serverFault, unreadable } from "./redis-failure.js";
import type { RedisKeys } from "./redis-keys.js";
import type { Called, ScriptCaller } from "./script-caller.js";
import type { Outcome, Question } from "./store.js";

/** A script with more would pass what Lua can hold in one function: 200 locals. */
const MOST_ALGORITHMS = 60;

/** What a batch needs of the store that it is for. */
export interface BatchSenderParts {
  readonly caller: ScriptCaller;
  readonly keys: RedisKeys;
  /** Unless it is guarded, the breaker neither hinders it nor hears of it. */
  askAlone(
    question: Question,
    clockMs: number,
    signal: AbortSignal | undefined,
    isGuarded?: boolean,
  ): Promise<Outcome>;
  giveBack(question: Question, outcome: Outcome): void;
}

/** Sends several questions as one call of a script, and answers each by itself. */
export class BatchSender {
  readonly #parts: BatchSenderParts;
  /** The algorithms of all batches so far: one script for all, so that Redis keeps few. */
  readonly #met = new Set<Kernel>();

  constructor(parts: BatchSenderParts) {
    this.#parts = parts;
  }

  send(asked: readonly Pending[], clockMs: number): void {
    const batch = asked.filter(({ signal }) => !signal?.aborted);
    for (const { signal, reject } of asked)
      if (signal?.aborted) reject(new WithdrawnError("the caller has left"));
    for (const { question } of batch) this.#met.add(question.limit.kernel);
    if (batch.length <= 1 || this.#met.size > MOST_ALGORITHMS) this.#askEachAlone(batch, clockMs);
    else this.#askTogether(batch, clockMs);
  }

  #askTogether(batch: readonly Pending[], clockMs: number): void {
    const questions = batch.map(({ question }) => question);
    const keys = questions.map(({ limit, key }) => this.#parts.keys.state(limit, key));
    const { script, kernels } = batchScript([...this.#met]);
    let answers: (Outcome | Error)[] | undefined;
    const read = (reply: unknown): (Outcome | Error)[] | undefined => {
      answers ??= readBatch(questions, reply);
      return answers;
    };
    this.#parts.caller.call({
      script,
      keys,
      args: [batchArgument(questions, kernels, clockMs)],
      calls: batch.length,
      faultIn: (reply) => read(reply)?.map(faultIn).find(isFault),
      abandoned: (reply) => this.#giveBack(questions, read(reply) ?? []),
      done: (called) => {
        // what the server has against the script or one of its keys concerns not all of them
        if ("error" in called && called.ranNothing) this.#askEachAlone(batch, clockMs);
        else
          this.#answer({
            batch,
            keys,
            clockMs,
            called,
            answers: "error" in called ? undefined : read(called.reply),
          });
      },
    });
  }

  #answer({ batch, keys, clockMs, called, answers }: Answered): void {
    // the client has to hear of it too: it may look for another server then
    const unheard = answers?.findIndex((answer) => isFault(faultIn(answer)));
    batch.forEach((pending, i) => {
      const { limit, ask } = pending.question;
      const part: FailedCall = { limits: [limit], keys: keys.slice(i, i + 1), counts: ask.commit };
      const answer = answers?.[i];
      if ("error" in called) pending.reject(called.error(part));
      else if (answer === undefined) pending.reject(unreadable(part, called.reply));
      else if (!(answer instanceof Error)) pending.resolve(answer);
      else if (i === unheard) this.#askAgain(pending, clockMs, () => failure(part, answer));
      else pending.reject(failure(part, answer));
    });
  }

  #askAgain({ question, signal, resolve, reject }: Pending, clockMs: number, failed: () => Error): void {
    this.#parts.askAlone(question, clockMs, signal, false).then(resolve, () => reject(failed()));
  }

  #askEachAlone(batch: readonly Pending[], clockMs: number): void {
    for (const { question, signal, resolve, reject } of batch) {
      this.#parts.askAlone(question, clockMs, signal).then(resolve, reject);
    }
  }

  #giveBack(questions: readonly Question[], answers: readonly (Outcome | Error)[]): void {
    answers.forEach((answer, i) => {
      const question = questions[i];
      if (question !== undefined && !(answer instanceof Error)) this.#parts.giveBack(question, answer);
    });
  }
}

/** A batch, and what came of its call. */
interface Answered {
  readonly batch: readonly Pending[];
  readonly keys: readonly string[];
  readonly clockMs: number;
  readonly called: Called;
  readonly answers: readonly (Outcome | Error)[] | undefined;
}

function faultIn(answer: Outcome | Error): Error | undefined {
  return answer instanceof Error ? serverFault(answer) : undefined;
}

function isFault(fault: Error | undefined): fault is Error {
  return fault !== undefined;
}
