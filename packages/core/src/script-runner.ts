import { ConnectionGate } from "./connection-gate.js";
import type { Deadline } from "./deadline.js";
import { NotSentError } from "./not-sent-error.js";
import type { RedisCommand, RedisConnection } from "./redis-connection.js";
import type { Script } from "./script.js";
import { ScriptWord } from "./script-word.js";

/** How long a call waits for another one that is loading the script: in a cluster that may be on another node. */
const LOADING_WAIT_MS = 50;
const utf8 = new TextEncoder();

/** One call of a script. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly (string | Uint8Array)[];
  /** Nothing is sent after it, and what the client still holds back runs nothing. */
  readonly deadline: Deadline;
  /** For how many calls it stands; default 1. */
  readonly calls?: number | undefined;
  /** Once it is aborted nothing is sent that has not been. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls scripts by their SHA-1. On `NOSCRIPT`, and on nothing else, the script is sent whole: `EVAL` loads it on the
 * very node that lacks it and runs it in the same step, so that no flush can come in between.
 */
export class ScriptRunner {
  readonly #connection: RedisConnection;
  readonly #gate: ConnectionGate;
  /** Scripts that are being sent whole at this moment; settles when a server has them, or the call has failed. */
  readonly #loading = new Map<string, Promise<unknown>>();
  readonly #underWay = new Set<ScriptWord>();

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#gate = new ConnectionGate(connection);
    // whatever was under way may have run: a client must not send it again
    connection.onConnectionLost?.(() => {
      for (const word of this.#underWay) word.strike();
    });
  }

  async run(call: ScriptCall): Promise<unknown> {
    let missing: unknown;
    try {
      return await this.#evalSha(call);
    } catch (error) {
      if (!isNoScript(error) || call.deadline.isPast) throw error;
      missing = error;
      call.deadline.hasBegun = false;
    }
    const loading = this.#loading.get(call.script.sha1);
    if (loading === undefined) return this.#load(call);
    // another call is loading it: wait for that instead of sending the text again
    await settled(loading, LOADING_WAIT_MS);
    if (call.deadline.isPast) throw missing;
    try {
      return await this.#evalSha(call);
    } catch (error) {
      // it was loaded on another node, or flushed again
      if (!isNoScript(error) || call.deadline.isPast) throw error;
      return this.#eval(call);
    }
  }

  #load(call: ScriptCall): Promise<unknown> {
    const { sha1 } = call.script;
    const loading = this.#eval(call).finally(() => this.#loading.delete(sha1));
    this.#loading.set(sha1, loading);
    return loading;
  }

  #evalSha(call: ScriptCall): Promise<unknown> {
    return this.#send("EVALSHA", call.script.sha1Bytes, call);
  }

  #eval(call: ScriptCall): Promise<unknown> {
    return this.#send("EVAL", utf8.encode(call.script.text), call);
  }

  /** Not async itself, nor is what it calls: each promise less is felt by a call that goes alone. */
  #send(command: RedisCommand, script: Uint8Array, call: ScriptCall): Promise<unknown> {
    const { deadline, signal, calls } = call;
    deadline.hasBegun = false;
    try {
      const held = this.#gate.pass(deadline, signal, calls);
      return held === undefined
        ? this.#sendNow(command, script, call)
        : held.then(() => this.#sendNow(command, script, call));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #sendNow(
    command: RedisCommand,
    script: Uint8Array,
    { keys, args, deadline }: ScriptCall,
  ): Promise<unknown> {
    const word = new ScriptWord(script);
    deadline.onPast = () => word.strike();
    deadline.hasBegun = true;
    this.#underWay.add(word);
    const words = [word.bytes, String(keys.length), ...keys, ...args];
    return this.#reply(command, words, keys[0] ?? "").then(
      (value) => {
        this.#underWay.delete(word);
        return value;
      },
      (error: unknown) => {
        this.#underWay.delete(word);
        throw this.#failed(word, error);
      },
    );
  }

  /** A client may answer with less than a promise, or throw. */
  #reply(command: RedisCommand, words: readonly (string | Uint8Array)[], key: string): Promise<unknown> {
    try {
      return Promise.resolve(this.#connection.send(command, words, key));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #failed(word: ScriptWord, error: unknown): unknown {
    const isLost = word.isStruck;
    // a client that gave up by itself may still send it
    word.strike();
    if (this.#connection.wasNeverSent?.(error)) {
      const problem = error instanceof Error ? error.message : "it was never sent";
      return new NotSentError(problem, { cause: error });
    }
    return isLost ? new Error("the connection was lost before the reply came", { cause: error }) : error;
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && /^(ERR )?NOSCRIPT\b/.test(error.message);
}

/** Resolves when a promise has settled, or after `timeoutMs`. */
function settled(promise: Promise<unknown>, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    promise.then(done, done);
  });
}
