import type { Ask, Change } from "./algorithm-definition.js";
import { type Clock, readClock } from "./clock.js";
import { type IsLate, withDeadline } from "./deadline.js";
import { InvalidKeyError, InvalidPolicyError, StoreError, StoreTimeoutError } from "./errors.js";
import { checkKnown } from "./known-options.js";
import type { RedisConnection } from "./redis-connection.js";
import { type Script, scriptsOf } from "./script.js";
import { adjustArgument, consumeArgument, readOutcome, SERVER_CLOCK } from "./script-messages.js";
import { ScriptRunner } from "./script-runner.js";
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
  readonly #connection: RedisConnection;
  readonly #runner: ScriptRunner;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #clock: Clock | undefined;

  constructor(connection: RedisConnection, prefix: string, timeoutMs: number, clock: Clock | undefined) {
    this.#connection = connection;
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
    return this.#run(limit, key, scriptsOf(limit.kernel).consume, argument, ask);
  }

  async adjust(limit: Limit, key: string, change: Change): Promise<Outcome> {
    const argument = adjustArgument(limit, change, this.#clockMs());
    return this.#run(limit, key, scriptsOf(limit.kernel).adjust, argument, CORRECTION);
  }

  async forget(limit: Limit, key: string): Promise<void> {
    const redisKey = this.#key(limit, key);
    await this.#settle(limit, false, async () => this.#connection.send("DEL", [redisKey], redisKey));
  }

  async #run(limit: Limit, key: string, script: Script, argument: Uint8Array, ask: Ask): Promise<Outcome> {
    const redisKey = this.#key(limit, key);
    const reply = await this.#settle(limit, ask.commit, (isLate) =>
      this.#runner.run({ script, key: redisKey, argument, isLate }),
    );
    const outcome = readOutcome(limit.kernel, ask.cost, reply);
    if (outcome !== undefined) return outcome;
    throw new StoreError(
      `limiter ${shown(limit.name)}: Redis answered ${shownReply(reply)} for key ${shown(redisKey)}, ` +
        "where packed numbers were expected",
      { mayHaveCounted: ask.commit },
    );
  }

  #key(limit: Limit, key: string): string {
    return `${this.#prefix}:${limit.space}:{${key}}`;
  }

  #clockMs(): number {
    return this.#clock === undefined ? SERVER_CLOCK : readClock("redis store", this.#clock);
  }

  /**
   * Waits for a command no longer than the deadline, and turns whatever goes wrong into a `StoreError`. `counts` says
   * whether the command changes what is used.
   */
  async #settle<T>(limit: Limit, counts: boolean, work: (isLate: IsLate) => Promise<T>): Promise<T> {
    const late = (): StoreTimeoutError =>
      new StoreTimeoutError(
        `limiter ${shown(limit.name)}: Redis did not answer within ${this.#timeoutMs} ms`,
        {
          mayHaveCounted: counts,
        },
      );
    try {
      return await withDeadline(work, this.#timeoutMs, late);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError(
        `limiter ${shown(limit.name)}: ${error instanceof Error ? error.message : shown(error)}`,
        {
          cause: error,
          mayHaveCounted: counts && !isErrorReply(error),
        },
      );
    }
  }
}

/** Whether the server itself refused: the script then wrote nothing. Its replies begin with a code in capitals. */
function isErrorReply(error: unknown): boolean {
  return error instanceof Error && /^[A-Z][A-Z0-9]+ /.test(error.message);
}

function shownReply(reply: unknown): string {
  if (reply instanceof Uint8Array) return `${reply.length} bytes (${shown(new TextDecoder().decode(reply))})`;
  return shown(reply);
}
