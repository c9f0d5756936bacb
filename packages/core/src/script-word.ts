import type { Linked } from "./linked-queue.js";

const DIGIT_ZERO = 0x30;

/**
 * The word by which a command names its script, by SHA-1 or in full, in bytes of its own. Once they are struck out, the
 * command runs nothing: a client that held it back, or sends it again, asks for a script that no server has.
 */
export class ScriptWord implements Linked<ScriptWord> {
  readonly bytes: Uint8Array;
  isQueued = false;
  before: ScriptWord | undefined = undefined;
  after: ScriptWord | undefined = undefined;
  #isStruck = false;

  constructor(script: Uint8Array) {
    this.bytes = script.slice();
  }

  get isStruck(): boolean {
    return this.#isStruck;
  }

  strike(): void {
    this.#isStruck = true;
    // no SHA-1 of a script, and no program
    this.bytes.fill(DIGIT_ZERO);
  }
}
