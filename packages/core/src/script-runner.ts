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
    // a client may answer with less than a promise
    const loading = Promise.resolve(this.#eval(call)).finally(() => this.#loading.delete(sha1));
    this.#loading.set(sha1, loading);
    return loading;
  }

  #evalSha(call: ScriptCall): Promise<unknown> {
    return this.#send("EVALSHA", call.script.sha1Bytes, call);
  }

  #eval(call: ScriptCall): Promise<unknown> {
    return this.#send("EVAL", utf8.encode(call.script.text), call);
  }

  async #send(
    command: RedisCommand,
    script: Uint8Array,
    { keys, args, deadline, signal, calls }: ScriptCall,
  ): Promise<unknown> {
    deadline.hasBegun = false;
    const held = this.#gate.pass(deadline, signal, calls);
    if (held !== undefined) await held;
    const word = new ScriptWord(script);
    deadline.onPast = () => word.strike();
    deadline.hasBegun = true;
    this.#underWay.add(word);
    try {
      const words = [word.bytes, String(keys.length), ...keys, ...args];
      return await this.#connection.send(command, words, keys[0] ?? "");
    } catch (error) {
      const isLost = word.isStruck;
      // a client that gave up by itself may still send it
      word.strike();
      if (this.#connection.wasNeverSent?.(error)) {
        const problem = error instanceof Error ? error.message : "it was never sent";
        throw new NotSentError(problem, { cause: error });
      }
      if (!isLost) throw error;
      throw new Error("the connection was lost before the reply came", { cause: error });
    } finally {
      this.#underWay.delete(word);
    }
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
