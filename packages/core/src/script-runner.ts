import { ConnectionGate } from "./connection-gate.js";
import type { Deadline } from "./deadline.js";
import { LinkedQueue } from "./linked-queue.js";
import { NotSentError } from "./not-sent-error.js";
import type { RedisCommand, RedisConnection } from "./redis-connection.js";
import type { Script } from "./script.js";
import { ScriptWord } from "./script-word.js";

/** How long a call waits for another one that is loading the script: in a cluster that may be on another node. */
const LOADING_WAIT_MS = 50;
const utf8 = new TextEncoder();

/** What script to call, and with what. */
export interface ScriptRequest {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly (string | Uint8Array)[];
  /** For how many calls it stands; default 1. */
  readonly calls?: number | undefined;
  /** Once it is aborted nothing is sent that has not been. */
  readonly signal?: AbortSignal | undefined;
}

/** One call of a script, and who hears what comes of it. No promise: what each call makes anew is felt by one that goes alone. */
export interface ScriptCall {
  readonly request: ScriptRequest;
  /** Nothing is sent after it, and what the client still holds back runs nothing. */
  readonly deadline: Deadline;
  replied(reply: unknown): void;
  failed(error: unknown): void;
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
  readonly #underWay = new LinkedQueue<ScriptWord>();
  /** The last word that was made for a script. */
  readonly #words = new WeakMap<Uint8Array, ScriptWord>();

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#gate = new ConnectionGate(connection);
    // whatever was under way may have run: a client must not send it again
    connection.onConnectionLost?.(() => {
      for (let word = this.#underWay.first; word !== undefined; word = word.after) word.strike();
    });
  }

  /** Whether every command that was sent has been answered, and none waits to be sent. */
  get isIdle(): boolean {
    return this.#underWay.first === undefined && this.#gate.isEmpty;
  }

  run(call: ScriptCall): void {
    this.#evalSha(call, this.#bring);
  }

  /** Sees to it that the server has the script, and calls it. */
  readonly #bring: IfMissing = async (call, missing) => {
    call.deadline.hasBegun = false;
    const loading = this.#loading.get(call.request.script.sha1);
    if (loading === undefined) return this.#load(call);
    // another call is loading it: wait for that instead of sending the text again
    await settled(loading, LOADING_WAIT_MS);
    if (call.deadline.isPast) call.failed(missing);
    // it may have been loaded on another node, or flushed again
    else this.#evalSha(call, this.#eval);
  };

  #load(call: ScriptCall): void {
    const { sha1 } = call.request.script;
    const loading = new Promise<void>((resolve) => {
      this.#eval({
        request: call.request,
        deadline: call.deadline,
        replied: (reply) => {
          resolve();
          call.replied(reply);
        },
        failed: (error) => {
          resolve();
          call.failed(error);
        },
      });
    });
    this.#loading.set(sha1, loading);
    void loading.then(() => this.#loading.delete(sha1));
  }

  #evalSha(call: ScriptCall, ifMissing: IfMissing): void {
    this.#send("EVALSHA", call.request.script.sha1Bytes, call, ifMissing);
  }

  readonly #eval = (call: ScriptCall): void => {
    this.#send("EVAL", utf8.encode(call.request.script.text), call);
  };

  #send(command: RedisCommand, script: Uint8Array, call: ScriptCall, ifMissing?: IfMissing): void {
    const { deadline } = call;
    const { signal, calls } = call.request;
    deadline.hasBegun = false;
    try {
      const held = this.#gate.pass(deadline, signal, calls);
      if (held === undefined) this.#sendNow(command, script, call, ifMissing);
      else
        held.then(() => this.#sendNow(command, script, call, ifMissing)).catch((error) => call.failed(error));
    } catch (error) {
      call.failed(error);
    }
  }

  #sendNow(command: RedisCommand, script: Uint8Array, call: ScriptCall, ifMissing?: IfMissing): void {
    const { deadline } = call;
    const { keys, args } = call.request;
    const word = this.#wordFor(script);
    deadline.onPast = () => word.strike();
    deadline.hasBegun = true;
    this.#underWay.add(word);
    const words = [word.bytes, String(keys.length), ...keys, ...args];
    void this.#reply(command, words, keys[0] ?? "").then(
      (reply) => {
        this.#underWay.remove(word);
        call.replied(reply);
      },
      (error: unknown) => {
        this.#underWay.remove(word);
        const failed = this.#failed(word, error);
        if (ifMissing !== undefined && isNoScript(failed) && !deadline.isPast) ifMissing(call, failed);
        else call.failed(failed);
      },
    );
  }

  /** One whose command was answered is as good as new: no client sends that again. */
  #wordFor(script: Uint8Array): ScriptWord {
    const last = this.#words.get(script);
    if (last !== undefined && !last.isStruck && !last.isQueued) return last;
    const word = new ScriptWord(script);
    this.#words.set(script, word);
    return word;
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

/** Goes on with a call whose script the server has not, as that told, if anybody still waits for it. */
type IfMissing = (call: ScriptCall, missing: unknown) => void;

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
