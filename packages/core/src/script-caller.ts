import type { Breaker } from "./breaker.js";
import { withDeadline } from "./deadline.js";
import { WithdrawnError } from "./not-sent-error.js";
import { type FailedCall, failure, late, ranNothing, refused, serverFault } from "./redis-failure.js";
import type { ScriptCall, ScriptRunner } from "./script-runner.js";

/** One call of a script, and who gets the reply when nobody waits for it any more. */
export interface TimedCall extends Omit<ScriptCall, "deadline"> {
  readonly abandoned?: ((reply: unknown) => void) | undefined;
  /** What speaks against the whole server in a reply, if anything does. */
  readonly faultIn?: ((reply: unknown) => Error | undefined) | undefined;
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

  constructor(runner: ScriptRunner, timeoutMs: number, breaker: Breaker | undefined) {
    this.#runner = runner;
    this.timeoutMs = timeoutMs;
    this.breaker = breaker;
  }

  /** Never rejects. Unless it is guarded, the breaker has no say in it. */
  async call(call: TimedCall, isGuarded = true): Promise<Called> {
    const { timeoutMs } = this;
    const breaker = isGuarded ? this.breaker : undefined;
    const reportEnd = breaker?.admit();
    if (breaker !== undefined && reportEnd === undefined) {
      const { health } = breaker;
      return { error: (part) => refused(part, health), ranNothing: false };
    }
    let hasBegun: boolean | undefined;
    try {
      const reply = await withDeadline({
        work: (deadline) => {
          const { script, keys, args, calls, signal } = call;
          return this.#runner.run({ script, keys, args, calls, signal, deadline });
        },
        timeoutMs,
        late: (deadline) => {
          hasBegun = deadline.hasBegun;
          return new Error(
            hasBegun ? `Redis did not answer within ${timeoutMs} ms` : "there was no connection to Redis",
          );
        },
        abandoned: call.abandoned,
      });
      reportEnd?.(call.faultIn?.(reply));
      return { reply };
    } catch (error) {
      reportEnd?.(error instanceof WithdrawnError ? "withdrawn" : serverFault(error));
      const wasSent = hasBegun;
      if (wasSent !== undefined) {
        return { error: (part) => late(part, timeoutMs, wasSent), ranNothing: false };
      }
      return { error: (part) => failure(part, error), ranNothing: ranNothing(error) };
    }
  }
}
