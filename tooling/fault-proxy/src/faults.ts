import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";

/**
 * What becomes of the bytes of one direction: they pass, vanish while the connection stays up, are replaced by random
 * ones, or come one at a time.
 */
export type Flow = "pass" | "swallow" | "garbage" | "drip";

/** How a proxy behaves; everything passes at once where nothing is said. */
export interface Faults {
  /** Client to server. */
  readonly requests?: Flow;
  /** Server to client. */
  readonly replies?: Flow;
  /** Adds so many milliseconds to every reply, however many are on their way. */
  readonly delayMs?: number;
  /** New connections are closed as soon as they are made. */
  readonly refuse?: boolean;
}

const DRIP_EVERY_MS = 5;

/** Hands bytes on as a flow says. Bytes of one connection keep their order, also when the flow changes. */
export class Pipe {
  readonly #to: Socket;
  #sent: Promise<void> = Promise.resolve();

  constructor(to: Socket) {
    this.#to = to;
  }

  push(bytes: Buffer, flow: Flow, delayMs: number): void {
    if (flow === "swallow") return;
    const out = flow === "garbage" ? randomBytes(bytes.length) : bytes;
    const dueMs = performance.now() + delayMs;
    this.#sent = this.#sent.then(async () => {
      const leftMs = dueMs - performance.now();
      if (leftMs > 0) await pause(leftMs);
      if (flow !== "drip") return this.#write(out);
      for (const byte of out) {
        this.#write(Buffer.of(byte));
        await pause(DRIP_EVERY_MS);
      }
    });
  }

  #write(bytes: Buffer): void {
    if (this.#to.writable) this.#to.write(bytes);
  }
}

/** Waits without keeping the process alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
