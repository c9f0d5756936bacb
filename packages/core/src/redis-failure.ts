import { PolicyNotFoundError, StoreError } from "./errors.js";
import { keysOf } from "./redis-keys.js";
import type { Limit } from "./store.js";
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
  const at = isErrorReply(error) ? `, at ${keys.map(shown).join(", ")}` : "";
  return new StoreError(`${whose(limits)}: ${problem}${at}`, {
    cause: error,
    mayHaveCounted: counts && !(isErrorReply(error) && cameFirst(error, limits.length)),
  });
}

/** What a call fails with when the reply is none that the script gives. */
export function unreadable({ limits, keys, counts }: FailedCall, reply: unknown): StoreError {
  return new StoreError(
    `${whose(limits)}: Redis answered ${shownReply(reply)} for key ${keys.map(shown).join(", ")}, ` +
      "which is no answer to what was asked",
    { mayHaveCounted: counts },
  );
}

const REFUSED = /^SLUICE(NOPOLICY|POLICY|STATE) (\d+) (.*)/s;

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
  return new StoreError(message, { cause: error, mayHaveCounted: false });
}

/** Whether the server itself refused. Its replies begin with a code in capitals. */
function isErrorReply(error: unknown): error is Error {
  return error instanceof Error && /^[A-Z][A-Z0-9]+ /.test(error.message);
}

/**
 * Whether a refusal came before anything was written: a script for one limit reads, then writes with one command. Where
 * it writes for several, an error that is not about what it read, or about the state of the whole server, may have come
 * in between.
 */
function cameFirst({ message }: Error, limits: number): boolean {
  return limits === 1 || !/^(ERR|NOPERM)\b.*user_script/s.test(message);
}

function shownReply(reply: unknown): string {
  if (reply instanceof Uint8Array) return `${reply.length} bytes (${shown(new TextDecoder().decode(reply))})`;
  return shown(reply);
}
