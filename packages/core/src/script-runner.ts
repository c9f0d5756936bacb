import type { RedisConnection } from "./redis-connection.js";
import type { Script } from "./script.js";

/**
 * Calls scripts by their SHA-1. On `NOSCRIPT`, and on nothing else, the script is sent whole: `EVAL` loads it on the
 * very node that lacks it and runs it in the same step, so that no flush can come in between.
 */
export class ScriptRunner {
  readonly #connection: RedisConnection;
  /** Scripts that are being sent whole at this moment; settles when the server has them, or the call has failed. */
  readonly #loading = new Map<string, Promise<unknown>>();

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async run(script: Script, key: string, argument: Uint8Array): Promise<unknown> {
    try {
      return await this.#evalSha(script, key, argument);
    } catch (error) {
      if (!isNoScript(error)) throw error;
    }
    const loading = this.#loading.get(script.sha1);
    if (loading === undefined) return this.#load(script, key, argument);
    // another call is loading it: wait for that instead of sending the text again
    await loading.catch(() => {});
    try {
      return await this.#evalSha(script, key, argument);
    } catch (error) {
      // it was loaded on another node, or flushed again
      if (isNoScript(error)) return this.#eval(script, key, argument);
      throw error;
    }
  }

  #load(script: Script, key: string, argument: Uint8Array): Promise<unknown> {
    const loading = this.#eval(script, key, argument).finally(() => this.#loading.delete(script.sha1));
    this.#loading.set(script.sha1, loading);
    return loading;
  }

  #evalSha(script: Script, key: string, argument: Uint8Array): Promise<unknown> {
    return this.#connection.send("EVALSHA", [script.sha1, "1", key, argument], key);
  }

  #eval(script: Script, key: string, argument: Uint8Array): Promise<unknown> {
    return this.#connection.send("EVAL", [script.text, "1", key, argument], key);
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && /^(ERR )?NOSCRIPT\b/.test(error.message);
}
