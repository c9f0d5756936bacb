import { PolicyNotFoundError, StoreError, StoreTimeoutError } from "./errors.js";
import { NotSentError } from "./not-sent-error.js";
import { keysOf } from "./redis-keys.js";
import { isServerWide, serverCode } from "./server-error.js";
import type { Limit, StoreHealth } from "./store.js";
import { shown } from "./whole.js";

/** A script call that failed, as seen from outside: who it was for, and whether it was to charge anything. */
export interface FailedCall {
  readonly limits: readonly Limit[];
  readonly keys: readonly string[];
  readonly counts: boolean;
}

/** Names the limiters of a call, for a message. */
export function whose(limits: readonly Limit[]): string {
  return `limiter ${limits.map(({ name }) => shown(name)).join(", ")}`;
}

/** What a call fails with when its command does. */
export function failure(call: FailedCall, error: unknown): PolicyNotFoundError | StoreError {
  const { limits, keys, counts } = call;
  const stored = storedFailure(call, error);
  if (stored !== undefined) return stored;
  const problem = error instanceof Error ? error.message || error.name : shown(error);
  const code = serverCode(error);
  const at = code === undefined ? "" : `, at ${keys.map(shown).join(", ")}`;
  return new StoreError(`${whose(limits)}: ${problem}${at}`, {
    cause: error instanceof NotSentError ? (error.cause ?? error) : error,
    mayHaveCounted: counts && !cameFirst(error, code, limits.length),
    limiterName: nameOf(limits),
    serverCode: code,
  });
}

/** What a call fails with that was not answered in time; `wasSent` where its command left this process. */
export function late({ limits, counts }: FailedCall, timeoutMs: number, wasSent: boolean): StoreTimeoutError {
  const problem = wasSent
    ? `Redis did not answer within ${timeoutMs} ms`
    : `there was no connection to Redis within ${timeoutMs} ms: nothing was sent`;
  return new StoreTimeoutError(`${whose(limits)}: ${problem}`, {
    mayHaveCounted: counts && wasSent,
    limiterName: nameOf(limits),
  });
}

/** What a call fails with at once while the breaker is open. */
export function refused(
  { limits }: FailedCall,
  { failuresInARow, retryAfterMs, lastError }: StoreHealth,
): StoreError {
  const until = retryAfterMs === 0 ? "while one call finds out" : `for ${retryAfterMs} ms`;
  return new StoreError(
    `${whose(limits)}: Redis failed ${failuresInARow} times in a row and is not asked ${until}: nothing was sent`,
    { cause: lastError, mayHaveCounted: false, limiterName: nameOf(limits) },
  );
}

/** What a call fails with when the reply is none that the script gives. */
export function unreadable({ limits, keys, counts }: FailedCall, reply: unknown): StoreError {
  return new StoreError(
    `${whose(limits)}: Redis answered ${shownReply(reply)} for key ${keys.map(shown).join(", ")}, ` +
      "which is no answer to what was asked",
    { mayHaveCounted: counts, limiterName: nameOf(limits) },
  );
}

/** What speaks against the whole server in what a command failed with: undefined where others may well be answered. */
export function serverFault(error: unknown): Error | undefined {
  const code = serverCode(error);
  const fault = error instanceof Error ? error : new Error(shown(error));
  return code === undefined || isServerWide(code, fault.message) ? fault : undefined;
}

/**
 * Whether a server refused a script as a whole, and not because it answers nobody: for one of its keys, say, or since the
 * text makes no program. An error from within the script names it.
 */
export function ranNothing(error: unknown): boolean {
  const code = serverCode(error);
  if (code === undefined || !(error instanceof Error)) return false;
  return !/user_script/.test(error.message) || /^ERR Error compiling script/.test(error.message);
}

const REFUSED = /^(?:ERR )?SLUICE(NOPOLICY|POLICY|STATE) (\d+) (.*)/s;

/** What the scripts say of what is stored for a key: that there is no policy, or what is wrong with it or the state. */
function storedFailure(
  { limits, keys }: FailedCall,
  error: unknown,
): PolicyNotFoundError | StoreError | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, code, position, problem] = REFUSED.exec(error.message) ?? [];
  const limit = limits[Number(position) - 1];
  if (limit === undefined) return undefined;
  const message = `${whose([limit])}: ${problem}, at ${keysOf(limits, keys, Number(position) - 1)
    .map(shown)
    .join(", ")}`;
  if (code === "NOPOLICY") return new PolicyNotFoundError(message);
  return new StoreError(message, {
    cause: error,
    mayHaveCounted: false,
    limiterName: limit.name,
    serverCode: serverCode(error),
  });
}

/**
 * Whether a call failed before anything was written: it never left, or the server refused it. A script for one limit
 * reads, then writes with one command. Where it writes for several, an error that is not about what it read, or about
 * the state of the whole server, may have come in between.
 */
function cameFirst(error: unknown, code: string | undefined, limits: number): boolean {
  if (error instanceof NotSentError) return true;
  if (code === undefined || !(error instanceof Error)) return false;
  return limits === 1 || !((code === "ERR" || code === "NOPERM") && /user_script/.test(error.message));
}

function nameOf(limits: readonly Limit[]): string {
  return limits.map(({ name }) => name).join("+");
}

function shownReply(reply: unknown): string {
  if (reply instanceof Uint8Array) return `${reply.length} bytes (${shown(new TextDecoder().decode(reply))})`;
  return shown(reply);
}
