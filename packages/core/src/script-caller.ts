import type { Breaker, ReportEnd } from "./breaker.js";
import { Countdown, type Deadline } from "./deadline.js";
import { Deadlines } from "./deadlines.js";
import { WithdrawnError } from "./not-sent-error.js";
import { type FailedCall, failure, late, ranNothing, refused, serverFault } from "./redis-failure.js";
import type { ScriptCall, ScriptRequest, ScriptRunner } from "./script-runner.js";

/** One call of a script, and who hears of its end. */
export interface TimedCall extends ScriptRequest {
  /** Gets what came of it, once. */
  done(called: Called): void;
  /** Gets the reply where nobody waits for it any more. */
  abandoned?(reply: unknown): void;
  /** What speaks against the whole server in a reply, if anything does. */
  faultIn?(reply: unknown): Error | undefined;
}

/**
 * What came of a call: a reply, or what makes the error that each of those hears of it who had a part in it. `ranNothing`
 * where the server has refused it before it began, for a reason that may not concern each of them.
 */
export type Called =
  | { readonly reply: unknown }
  | { readonly error: (part: FailedCall) => Error; readonly ranNothing: boolean };

/** Calls scripts for no longer than the deadline, and not at all while the breaker is open. */
export class ScriptCaller {
  readonly breaker: Breaker | undefined;
  readonly timeoutMs: number;
  readonly #runner: ScriptRunner;
  readonly #deadlines: Deadlines;

  constructor(runner: ScriptRunner, timeoutMs: number, breaker: Breaker | undefined) {
    this.#runner = runner;
    this.#deadlines = new Deadlines(timeoutMs);
    this.timeoutMs = timeoutMs;
    this.breaker = breaker;
  }

  /** Whether it has been answered all that it sent. */
  get isIdle(): boolean {
    return this.#runner.isIdle;
  }

  /** Unless it is guarded, the breaker has no say in it. */
  call(call: TimedCall, isGuarded = true): void {
    const breaker = isGuarded ? this.breaker : undefined;
    const reportEnd = breaker?.admit();
    if (breaker !== undefined && reportEnd === undefined) {
      const { health } = breaker;
      call.done({ error: (part) => refused(part, health), ranNothing: false });
      return;
    }
    const underWay = new CallUnderWay(call, this.#deadlines, reportEnd);
    this.#deadlines.start(underWay.deadline);
    this.#runner.run(underWay);
  }
}

/** Hands on what comes of a call. No promise: what each call makes anew is felt by one that goes alone. */
class CallUnderWay implements ScriptCall {
  readonly deadline: Countdown;
  readonly #call: TimedCall;
  readonly #deadlines: Deadlines;
  readonly #reportEnd: ReportEnd | undefined;

  constructor(call: TimedCall, deadlines: Deadlines, reportEnd: ReportEnd | undefined) {
    this.deadline = new Countdown((deadline) => this.#late(deadline));
    this.#call = call;
    this.#deadlines = deadlines;
    this.#reportEnd = reportEnd;
  }

  get request(): ScriptRequest {
    return this.#call;
  }

  replied(reply: unknown): void {
    const { deadline } = this;
    this.#deadlines.meet(deadline);
    if (deadline.isPast) {
      this.#call.abandoned?.(reply);
      return;
    }
    this.#reportEnd?.(this.#call.faultIn?.(reply));
    this.#call.done({ reply });
  }

  failed(error: unknown): void {
    const { deadline } = this;
    this.#deadlines.meet(deadline);
    if (deadline.isPast) return;
    this.#reportEnd?.(error instanceof WithdrawnError ? "withdrawn" : serverFault(error));
    this.#call.done({ error: (part) => failure(part, error), ranNothing: ranNothing(error) });
  }

  #late({ hasBegun }: Deadline): void {
    const { timeoutMs } = this.#deadlines;
    const problem = hasBegun
      ? `Redis did not answer within ${timeoutMs} ms`
      : "there was no connection to Redis";
    this.#reportEnd?.(new Error(problem));
    this.#call.done({ error: (part) => late(part, timeoutMs, hasBegun), ranNothing: false });
  }
}
