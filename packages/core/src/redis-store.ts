import type { Ask, Change } from "./algorithm-definition.js";
import { BatchSender } from "./batch-sender.js";
import { Batcher } from "./batcher.js";
import { Breaker, type BreakerOptions } from "./breaker.js";
import { type Clock, readClock } from "./clock.js";
import { decideArgument, readOutcomes } from "./decide-messages.js";
import { decideScript } from "./decide-script.js";
import { InvalidKeyError, InvalidPolicyError } from "./errors.js";
import { giveBack } from "./give-back.js";
import { checkKnown } from "./known-options.js";
import { packNumbers } from "./packing.js";
import type { RedisConnection } from "./redis-connection.js";
import { unreadable } from "./redis-failure.js";
import { RedisKeys } from "./redis-keys.js";
import { scriptsOf } from "./script.js";
import { type Called, ScriptCaller, type TimedCall } from "./script-caller.js";
import {
  adjustArgument,
  consumeArgument,
  readCount,
  readFields,
  readKeyed,
  readOutcome,
  SERVER_CLOCK,
} from "./script-messages.js";
import { ScriptRunner } from "./script-runner.js";
import { sharedScripts } from "./shared-scripts.js";
import {
  HEALTHY,
  type KeyPolicy,
  type Limit,
  type Outcome,
  type Question,
  type Store,
  type StoreHealth,
} from "./store.js";
import { isWhole, MAX_TIMER_MS, shown } from "./whole.js";

/** How calls are gathered. */
export interface BatchOptions {
  /** So many at most go together; whole, from 1 to 255, default 64. */
  maxSize?: number | undefined;
}

/** What the argument of a batch can count. */
const MOST_IN_BATCH = 255;

/** Options of every store on Redis. */
export interface RedisStoreOptions {
  /** Stands before every key; default `"sluice"`. No braces. */
  prefix?: string | undefined;
  /** Every call settles within this many milliseconds, from 1 to 2^31 - 1; default 1000. */
  timeoutMs?: number | undefined;
  /**
   * Whether calls that come in one turn of the event loop go to the server as one, each still decided by itself: default
   * `{ maxSize: 64 }`; `false`: never. In a cluster none do.
   */
  batch?: false | BatchOptions | undefined;
  /**
   * When calls fail at once because the server keeps failing: connection faults, timeouts and states of the whole server
   * count, errors of single keys do not. Default `{ failures: 5, cooldownMs: 1000 }`; `false`: never.
   */
  breaker?: false | BreakerOptions | undefined;
  /** Tells milliseconds since the epoch in place of the server's clock; for tests and replays. TTLs stay the server's. */
  clock?: Clock | undefined;
}

const KNOWN_OPTIONS: readonly string[] = [
  "prefix",
  "timeoutMs",
  "batch",
  "breaker",
  "clock",
] satisfies (keyof RedisStoreOptions)[];

/**
 * A store on Redis or Valkey, over any client that can send a command.
 *
 * @throws InvalidKeyError for a prefix with a brace, InvalidPolicyError for any other option
 */
export function redisStore(connection: RedisConnection, options: RedisStoreOptions = {}): Store {
  checkKnown("redis store", options, KNOWN_OPTIONS);
  const { prefix = "sluice", timeoutMs = 1000, batch = {}, breaker, clock } = options;
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
  const runner = new ScriptRunner(connection);
  return new ScriptStore({
    caller: new ScriptCaller(runner, timeoutMs, breaker === false ? undefined : new Breaker(breaker)),
    multiKey: connection.isCluster !== true,
    keys: new RedisKeys(prefix),
    clock,
    // in a cluster hardly two calls of a turn lie in one slot
    maxBatch: batch === false || connection.isCluster === true ? undefined : maxBatchIn(batch),
  });
}

/** @throws InvalidPolicyError */
function maxBatchIn(batch: BatchOptions): number {
  checkKnown("redis store, batch", batch, ["maxSize"]);
  const { maxSize = 64 } = batch;
  if (isWhole(maxSize, 1, MOST_IN_BATCH)) return maxSize;
  throw new InvalidPolicyError(
    `redis store: batch.maxSize must be a whole number from 1 to ${MOST_IN_BATCH}, got ${shown(maxSize)}`,
  );
}

interface ScriptStoreParts {
  readonly caller: ScriptCaller;
  readonly multiKey: boolean;
  readonly keys: RedisKeys;
  readonly clock: Clock | undefined;
  /** Undefined where every call goes by itself. */
  readonly maxBatch: number | undefined;
}

class ScriptStore implements Store {
  readonly isLocal = false;
  readonly multiKey: boolean;
  readonly timeoutMs: number;
  readonly #caller: ScriptCaller;
  readonly #keys: RedisKeys;
  readonly #clock: Clock | undefined;
  readonly #batcher: Batcher | undefined;

  constructor({ caller, multiKey, keys, clock, maxBatch }: ScriptStoreParts) {
    this.multiKey = multiKey;
    this.timeoutMs = caller.timeoutMs;
    this.#caller = caller;
    this.#keys = keys;
    this.#clock = clock;
    if (maxBatch === undefined) return;
    const sender = new BatchSender({
      caller,
      keys,
      askAlone: (...asked) => this.#decideAlone(...asked),
      giveBack: (question, outcome) => this.#giveBack([question], [outcome]),
    });
    this.#batcher = new Batcher({
      maxSize: maxBatch,
      send: (batch, clockMs) => sender.send(batch, clockMs),
      askAlone: (question, clockMs, signal) => this.#decideAlone(question, clockMs, signal),
      isIdle: () => caller.isIdle,
    });
  }

  health(): StoreHealth {
    return this.#caller.breaker?.health ?? HEALTHY;
  }

  decide(limit: Limit, key: string, ask: Ask, signal?: AbortSignal): Promise<Outcome> {
    const question = { limit, key, ask };
    if (limit.blockForMs !== undefined) return this.#decideOne(question, signal);
    const clockMs = this.#clockMs();
    if (limit.perKey || this.#batcher === undefined) return this.#decideAlone(question, clockMs, signal);
    return this.#batcher.ask(question, clockMs, signal);
  }

  #decideAlone(
    { limit, key, ask }: Question,
    clockMs: number,
    signal: AbortSignal | undefined,
    isGuarded?: boolean,
  ): Promise<Outcome> {
    const { perKey, kernel } = limit;
    const scripts = scriptsOf(kernel);
    const call: StoreCall<Outcome> = {
      script: perKey ? scripts.consumeKeyed : scripts.consume,
      keys: this.#keys.all(limit, key),
      args: [consumeArgument(limit, ask, clockMs)],
      read: (reply) => (perKey ? readKeyed(limit, reply) : readOutcome(kernel, ask.cost, reply)),
      signal,
      abandoned: (outcome) => this.#giveBack([{ limit, key, ask }], [outcome]),
    };
    return this.#run([limit], ask.commit, call, isGuarded);
  }

  async decideAll(questions: readonly Question[], signal?: AbortSignal): Promise<readonly Outcome[]> {
    const { script, kernels } = decideScript(questions.map(({ limit }) => limit.kernel));
    return this.#run(
      questions.map(({ limit }) => limit),
      questions.some(({ ask }) => ask.commit),
      {
        script,
        keys: questions.flatMap(({ limit, key }) => this.#keys.all(limit, key)),
        args: [decideArgument(questions, kernels, this.#clockMs())],
        read: (reply) => readOutcomes(questions, reply),
        signal,
        abandoned: (outcomes) => this.#giveBack(questions, outcomes),
      },
    );
  }

  async adjust(limit: Limit, key: string, change: Change, isOwed = false): Promise<Outcome> {
    const { perKey, kernel } = limit;
    const scripts = scriptsOf(kernel);
    const stateKey = this.#keys.state(limit, key);
    const call: StoreCall<Outcome> = {
      script: perKey ? scripts.adjustKeyed : scripts.adjust,
      keys: perKey ? [stateKey, this.#keys.policy(limit, key)] : [stateKey],
      args: [adjustArgument(limit, change, this.#clockMs())],
      read: (reply) => (perKey ? readKeyed(limit, reply) : readOutcome(kernel, 0, reply)),
    };
    return this.#run([limit], true, call, !isOwed);
  }

  async forget(limit: Limit, key: string, keepBlock: boolean): Promise<void> {
    const stateKey = this.#keys.state(limit, key);
    const forgetBlock = limit.blockForMs !== undefined && !keepBlock;
    await this.#run([limit], false, {
      script: sharedScripts.reset(),
      keys: forgetBlock ? [stateKey, this.#keys.block(limit, key)] : [stateKey],
      args: [],
      read: readCount,
    });
  }

  async block(limit: Limit, key: string, spanMs: number): Promise<void> {
    await this.#run([limit], false, {
      script: sharedScripts.block(),
      keys: [this.#keys.block(limit, key)],
      args: [packNumbers([this.#clockMs(), spanMs])],
      read: readCount,
    });
  }

  async setPolicy(limit: Limit, key: string, policy: KeyPolicy | undefined): Promise<void> {
    await this.#run([limit], false, {
      script: sharedScripts.setPolicy(),
      keys: [this.#keys.policy(limit, key)],
      args: policy === undefined ? [] : Object.entries(policy.fields).flat(),
      read: readCount,
    });
  }

  async getPolicy(limit: Limit, key: string): Promise<KeyPolicy["fields"] | undefined> {
    const fields = await this.#run([limit], false, {
      script: sharedScripts.getPolicy(),
      keys: [this.#keys.policy(limit, key)],
      args: [],
      read: readFields,
    });
    return Object.keys(fields).length === 0 ? undefined : fields;
  }

  async #decideOne(question: Question, signal: AbortSignal | undefined): Promise<Outcome> {
    const [outcome] = await this.decideAll([question], signal);
    if (outcome === undefined) throw new TypeError("a question without an outcome");
    return outcome;
  }

  #clockMs(): number {
    return this.#clock === undefined ? SERVER_CLOCK : readClock("redis store", this.#clock);
  }

  /**
   * Gives back what was granted to callers who had been told that the store did not answer. Whatever the breaker says: a
   * late answer is an answer. Not in a cluster: there it may come from a primary that hung until another took its place,
   * and what is given back goes to that one, which has never heard of the grant.
   */
  #giveBack(questions: readonly Question[], outcomes: readonly Outcome[]): void {
    if (!this.multiKey || outcomes.some(({ taken }) => taken < 0)) return;
    questions.forEach((question, i) => {
      const outcome = outcomes[i];
      if (question.ask.commit && outcome !== undefined) giveBack(this, question, outcome).catch(() => {});
    });
  }

  /** What a script answers; whatever goes wrong is a `StoreError`. `counts` says whether it charges anything. */
  #run<Answer>(
    limits: readonly Limit[],
    counts: boolean,
    { script, keys, args, signal, read, abandoned }: StoreCall<Answer>,
    isGuarded = true,
  ): Promise<Answer> {
    this.#batcher?.flush();
    return new Promise((resolve, reject) => {
      const done = (called: Called): void => {
        const failed = { limits, keys, counts };
        if ("error" in called) {
          reject(called.error(failed));
          return;
        }
        const answer = read(called.reply);
        if (answer === undefined) reject(unreadable(failed, called.reply));
        else resolve(answer);
      };
      const giveLate = (reply: unknown): void => {
        const answer = read(reply);
        if (answer !== undefined) abandoned?.(answer);
      };
      this.#caller.call({ script, keys, args, signal, done, abandoned: giveLate }, isGuarded);
    });
  }
}

/** A script call, and how its reply is read: as undefined where it is not what the script replies. */
interface StoreCall<Answer> extends Pick<TimedCall, "script" | "keys" | "args" | "signal"> {
  readonly read: (reply: unknown) => Answer | undefined;
  /** Gets an answer for which nobody waits any more. */
  readonly abandoned?: ((answer: Answer) => void) | undefined;
}
