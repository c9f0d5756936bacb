import { InvalidPolicyError } from "./errors.js";
import { checkKnown } from "./known-options.js";
import { DEFAULT_COOLDOWN_MS, type StoreHealth } from "./store.js";
import { isWhole, MAX_TIMER_MS, shown } from "./whole.js";

/** When a store stops asking a server that fails, and for how long. */
export interface BreakerOptions {
  /** After so many failures in a row; whole, from 1; default 5. */
  failures?: number | undefined;
  /** For so many milliseconds calls fail at once, then one of them probes; whole, from 1; default 1000. */
  cooldownMs?: number | undefined;
}

/**
 * Takes how a call ended that was let pass: with what failed, where that says something of the server; `"withdrawn"` where
 * it was never sent, since its caller had left.
 */
export type ReportEnd = (failure: Error | "withdrawn" | undefined) => void;

const KNOWN_OPTIONS: readonly string[] = ["failures", "cooldownMs"] satisfies (keyof BreakerOptions)[];

/**
 * A circuit breaker: closed while the store answers, open once it has failed `failures` times in a row, and half-open
 * while one call finds out whether it answers again. It sets no timer.
 *
 * Source: M. Nygard, "Release It!", Pragmatic Bookshelf, 2007, section 5.2.
 */
export class Breaker {
  readonly #failures: number;
  readonly #cooldownMs: number;
  #state: StoreHealth["state"] = "closed";
  #failuresInARow = 0;
  #lastError: Error | undefined;
  /** By `performance.now()`. */
  #coolAtMs = 0;

  /** @throws InvalidPolicyError */
  constructor(options: BreakerOptions = {}) {
    checkKnown("redis store, breaker", options, KNOWN_OPTIONS);
    const { failures = 5, cooldownMs = DEFAULT_COOLDOWN_MS } = options;
    this.#failures = checked("failures", failures);
    this.#cooldownMs = checked("cooldownMs", cooldownMs);
  }

  get health(): StoreHealth {
    return {
      state: this.#state,
      failuresInARow: this.#failuresInARow,
      retryAfterMs: this.#state === "open" ? this.#cooldownLeftMs() : 0,
      cooldownMs: this.#cooldownMs,
      lastError: this.#lastError,
    };
  }

  /** Lets a call pass, and returns what to report its end to; undefined where it must fail at once. */
  admit(): ReportEnd | undefined {
    if (this.#state === "closed") return this.#count;
    if (this.#state === "half-open" || this.#cooldownLeftMs() > 0) return undefined;
    this.#state = "half-open";
    return this.#conclude;
  }

  readonly #count: ReportEnd = (failure) => {
    // what began before it opened says nothing new
    if (this.#state !== "closed" || failure === "withdrawn") return;
    if (failure === undefined) this.#close();
    else if (this.#fail(failure) >= this.#failures) this.#open();
  };

  readonly #conclude: ReportEnd = (failure) => {
    if (failure === undefined) {
      this.#close();
    } else if (failure === "withdrawn") {
      // the next call probes
      this.#state = "open";
    } else {
      this.#fail(failure);
      this.#open();
    }
  };

  #close(): void {
    this.#state = "closed";
    this.#failuresInARow = 0;
    this.#lastError = undefined;
  }

  #fail(failure: Error): number {
    this.#lastError = failure;
    this.#failuresInARow += 1;
    return this.#failuresInARow;
  }

  #open(): void {
    this.#state = "open";
    this.#coolAtMs = performance.now() + this.#cooldownMs;
  }

  #cooldownLeftMs(): number {
    return Math.max(0, Math.ceil(this.#coolAtMs - performance.now()));
  }
}

function checked(option: keyof BreakerOptions, value: number): number {
  if (isWhole(value, 1, MAX_TIMER_MS)) return value;
  throw new InvalidPolicyError(
    `redis store: breaker.${option} must be a whole number from 1 to ${MAX_TIMER_MS}, got ${shown(value)}`,
  );
}
