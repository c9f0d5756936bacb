import type { Ask, Change } from "./algorithm-definition.js";
import { type Clock, readClock } from "./clock.js";
import { type Deadline, withDeadline } from "./deadline.js";
import { InvalidKeyError, InvalidPolicyError, StoreError, StoreTimeoutError } from "./errors.js";
import { checkKnown } from "./known-options.js";
import type { RedisConnection } from "./redis-connection.js";
import { resetScript, type Script, scriptsOf } from "./script.js";
import { adjustArgument, consumeArgument, readOutcome, SERVER_CLOCK } from "./script-messages.js";
import { type ScriptCall, ScriptRunner } from "./script-runner.js";
import type { Limit, Outcome, Store, StoreHealth } from "./store.js";
import { isWhole, shown } from "./whole.js";

/** Options of every store on Redis. */
export interface RedisStoreOptions {
  /** Stands before every key; default `"sluice"`. No braces. */
  prefix?: string | undefined;
  /** Every call settles within this many milliseconds, from 1 to 2^31 - 1; default 1000. */
  timeoutMs?: number | undefined;
  /** Tells milliseconds since the epoch in place of the server's clock; for tests and replays. TTLs stay the server's. */
  clock?: Clock | undefined;
}

/** What a correction asks for, as far as its reply is concerned. */
const CORRECTION: Ask = { commit: true, cost: 0, least: 0, reserve: 0 };
const KNOWN_OPTIONS: readonly string[] = [
  "prefix",
  "timeoutMs",
  "clock",
] satisfies (keyof RedisStoreOptions)[];
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A store on Redis or Valkey, over any client that can send a command.
 *
 * @throws InvalidKeyError for a prefix with a brace, InvalidPolicyError for any other option
 */
export function redisStore(connection: RedisConnection, options: RedisStoreOptions = {}): Store {
  checkKnown("redis store", options, KNOWN_OPTIONS);
  const { prefix = "sluice", timeoutMs = 1000, clock } = options;
  if (typeof connection?.send !== "function") {
    throw new InvalidPolicyError(
      `redis store: a connection with a send method was expected, got ${shown(connection)}`,
    );
  }
  if (typeof prefix !== "string" || /[{}]/.test(prefix)) {
    throw new InvalidKeyError(`redis store: prefix must be a string without braces, got ${shown(prefix)}`);
  }
  if (!isWhole(timeoutMs, 1, MAX_TIMER_MS)) {
    throw new InvalidPolicyError(
      `redis store: timeoutMs must be a whole number from 1 to ${MAX_TIMER_MS}, got ${shown(timeoutMs)}`,
    );
  }
  if (clock !== undefined && typeof clock !== "function") {
    throw new InvalidPolicyError(`redis store: clock must be a function, got ${shown(clock)}`);
  }
  return new ScriptStore(connection, prefix, timeoutMs, clock);
}

class ScriptStore implements Store {
  readonly #runner: ScriptRunner;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #clock: Clock | undefined;

  constructor(connection: RedisConnection, prefix: string, timeoutMs: number, clock: Clock | undefined) {
    this.#runner = new ScriptRunner(connection);
    this.#prefix = prefix;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  health(): StoreHealth {
    return { state: "closed" };
  }

  async decide(limit: Limit, key: string, ask: Ask): Promise<Outcome> {
    const argument = consumeArgument(limit, ask, this.#clockMs());
    return this.#outcome(limit, key, scriptsOf(limit.kernel).consume, argument, ask);
  }

  async adjust(limit: Limit, key: string, change: Change): Promise<Outcome> {
    const argument = adjustArgument(limit, change, this.#clockMs());
    return this.#outcome(limit, key, scriptsOf(limit.kernel).adjust, argument, CORRECTION);
  }

  async forget(limit: Limit, key: string): Promise<void> {
    const redisKey = this.#key(limit, key);
    const reply = await this.#run(limit, false, { script: resetScript(), key: redisKey, args: [] });
    if (reply !== 0 && reply !== 1) throw unexpected(limit, redisKey, reply, "0 or 1", false);
  }

  async #outcome(
    limit: Limit,
    key: string,
    script: Script,
    argument: Uint8Array,
    ask: Ask,
  ): Promise<Outcome> {
    const redisKey = this.#key(limit, key);
    const reply = await this.#run(limit, ask.commit, { script, key: redisKey, args: [argument] });
    const outcome = readOutcome(limit.kernel, ask.cost, reply);
    if (outcome === undefined) throw unexpected(limit, redisKey, reply, "packed numbers", ask.commit);
    return outcome;
  }

  #key(limit: Limit, key: string): string {
    return `${this.#prefix}:${limit.space}:{${key}}`;
  }

  #clockMs(): number {
    return this.#clock === undefined ? SERVER_CLOCK : readClock("redis store", this.#clock);
  }

  /**
   * Waits for a script no longer than the deadline, and turns whatever goes wrong into a `StoreError`. `counts` says
   * whether the script charges anything.
   */
  async #run(limit: Limit, counts: boolean, call: Omit<ScriptCall, "deadline">): Promise<unknown> {
    const late = (): StoreTimeoutError =>
      new StoreTimeoutError(
        `limiter ${shown(limit.name)}: Redis did not answer within ${this.#timeoutMs} ms`,
        { mayHaveCounted: counts },
      );
    const run = (deadline: Deadline): Promise<unknown> => this.#runner.run({ ...call, deadline });
    try {
      return await withDeadline(run, this.#timeoutMs, late);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError(
        `limiter ${shown(limit.name)}: ${error instanceof Error ? error.message || error.name : shown(error)}`,
        { cause: error, mayHaveCounted: counts && !isErrorReply(error) },
      );
    }
  }
}

function unexpected(
  limit: Limit,
  redisKey: string,
  reply: unknown,
  expected: string,
  mayHaveCounted: boolean,
): StoreError {
  return new StoreError(
    `limiter ${shown(limit.name)}: Redis answered ${shownReply(reply)} for key ${shown(redisKey)}, ` +
      `where ${expected} were expected`,
    { mayHaveCounted },
  );
}

/** Whether the server itself refused: the script then wrote nothing. Its replies begin with a code in capitals. */
function isErrorReply(error: unknown): boolean {
  return error instanceof Error && /^[A-Z][A-Z0-9]+ /.test(error.message);
}

function shownReply(reply: unknown): string {
  if (reply instanceof Uint8Array) return `${reply.length} bytes (${shown(new TextDecoder().decode(reply))})`;
  return shown(reply);
}
