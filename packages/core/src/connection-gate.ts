import type { Deadline } from "./deadline.js";
import { NotSentError, WithdrawnError } from "./not-sent-error.js";
import { onAbort } from "./on-abort.js";
import { outsideCallers } from "./outside-callers.js";
import type { RedisConnection, RedisReadiness } from "./redis-connection.js";
import { unrefTimer } from "./unref-timer.js";

/** How many calls wait at most: each is a kilobyte or two, and is gone when its time is up. */
const MOST_HELD = 10_000;
const LOOK_EVERY_MS = 5;
/** Between two attempts to connect a client that gave up the last one. */
const CONNECT_EVERY_MS = 250;

interface Held {
  release(): void;
  refuse(error: NotSentError): void;
}

/**
 * Lets commands through only on a connection that is ready, and holds them until then. A client's own queue would do so
 * too, but what waits there may yet be sent after its caller has been told that it failed.
 */
export class ConnectionGate {
  readonly #connection: Pick<RedisConnection, "readiness" | "connect">;
  readonly #held = new Set<Held>();
  /** Those that are held stand for so many, since some go together. */
  #calls = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #connectsAgainAtMs = 0;

  constructor(connection: Pick<RedisConnection, "readiness" | "connect">) {
    this.#connection = connection;
  }

  /** Whether nothing waits for the connection. */
  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /**
   * Undefined where a command may be sent now; else resolves once one may, those first who came first, unless that is
   * past the deadline.
   *
   * @throws NotSentError when the client is closed, or too many wait; rejects with WithdrawnError when `signal` is aborted
   */
  pass(deadline: Deadline, signal?: AbortSignal, calls = 1): Promise<void> | undefined {
    if (signal?.aborted) throw withdrawn();
    const readiness = this.#readiness();
    if (readiness === "ready" && this.#held.size === 0) return undefined;
    this.#look();
    if (readiness === "ready") return undefined;
    if (readiness === "closed") throw closed();
    if (this.#calls + calls > MOST_HELD) {
      throw new NotSentError(`${MOST_HELD} calls already wait for a connection to Redis: nothing was sent`);
    }
    return new Promise((resolve, reject) => {
      const stopListening = onAbort(signal, () => {
        leave();
        reject(withdrawn());
      });
      const leave = (): void => {
        stopListening();
        if (this.#held.delete(held)) this.#calls -= calls;
        this.#restIfNobodyWaits();
      };
      const held = {
        release(): void {
          leave();
          resolve();
        },
        refuse(error: NotSentError): void {
          leave();
          reject(error);
        },
      };
      this.#held.add(held);
      this.#calls += calls;
      deadline.onPast = leave;
      this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
      unrefTimer(this.#timer);
    });
  }

  /** Lets go of those held, if that can be, and sees to it that the client connects. */
  #look(): void {
    const readiness = this.#readiness();
    if (readiness === "ready") this.#letGo((held) => held.release());
    else if (readiness === "closed") this.#letGo((held) => held.refuse(closed()));
    else if (readiness === "idle") this.#connect();
    this.#restIfNobodyWaits();
  }

  #restIfNobodyWaits(): void {
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #letGo(each: (held: Held) => void): void {
    for (const held of this.#held) each(held);
  }

  #connect(): void {
    const nowMs = performance.now();
    if (nowMs < this.#connectsAgainAtMs) return;
    this.#connectsAgainAtMs = nowMs + CONNECT_EVERY_MS;
    // the connection will outlive the caller
    outsideCallers(() => this.#connection.connect?.());
  }

  #readiness(): RedisReadiness {
    return this.#connection.readiness?.() ?? "ready";
  }
}

function withdrawn(): WithdrawnError {
  return new WithdrawnError("the caller has left: nothing was sent");
}

function closed(): NotSentError {
  return new NotSentError("the client is closed: nothing was sent");
}
