import type { Kernel, LeaseRules, Numbers } from "./algorithm-definition.js";
import type { Request } from "./ask.js";
import type { Decision } from "./decision.js";
import { factNames } from "./fact-names.js";
import { readReceipt, writeReceipt } from "./receipt.js";

/** Where a portion comes from, and for how long it may be held. */
export interface PortionTerms {
  readonly kernel: Kernel;
  readonly rules: LeaseRules;
  readonly maxHoldMs: number;
}

/**
 * Units that were charged by one decision, to be granted in parts without the store. Times are those of
 * `performance.now()`, reckoned from when it was asked for: that was before the store decided.
 */
export class Portion<Name extends string> {
  /** What the store granted. */
  readonly granted: Decision<Name>;
  readonly askedAtMs: number;
  /** From then on it counts no more in the store, so nothing may be granted from it, nor given back. */
  readonly lapsesAtMs: number;
  /** By then what is left goes back. */
  readonly heldUntilMs: number;
  readonly #kernel: Kernel;
  readonly #rules: LeaseRules;
  readonly #facts: Numbers;
  #left: number;

  constructor(granted: Decision<Name>, askedAtMs: number, { kernel, rules, maxHoldMs }: PortionTerms) {
    this.granted = granted;
    this.askedAtMs = askedAtMs;
    this.lapsesAtMs = askedAtMs + rules.holdableMs(granted);
    this.heldUntilMs = Math.min(this.lapsesAtMs, askedAtMs + maxHoldMs);
    this.#kernel = kernel;
    this.#rules = rules;
    this.#left = granted.taken;
    const { name, receipt } = granted;
    this.#facts =
      receipt === "" ? [] : readReceipt(name, kernel.tag, receipt, factNames(kernel).length).granted;
  }

  get left(): number {
    return this.#left;
  }

  get used(): number {
    return this.granted.taken - this.#left;
  }

  /** Whether a call can be granted whole. What it must leave behind, the store had left when it charged the portion. */
  has({ cost, reserve }: Request): boolean {
    return cost <= this.#left && reserve <= this.granted.remaining;
  }

  /** The same, while it may be held. */
  serves(request: Request, nowMs: number): boolean {
    return nowMs < this.heldUntilMs && this.has(request);
  }

  /** Grants a call, or as much of it as is left: a decision of its own, with a receipt of its own. */
  grant({ cost }: Request, nowMs: number): Decision<Name> {
    const taken = Math.min(cost, this.#left);
    this.#left -= taken;
    return this.#tell(cost, taken, nowMs);
  }

  /** What a call would be told that could be granted. */
  foretell({ cost }: Request, nowMs: number): Decision<Name> {
    return this.#tell(cost, 0, nowMs);
  }

  #tell(cost: number, taken: number, nowMs: number): Decision<Name> {
    const { limit, windowMs, remaining, resetAfterMs, name, key, decidedAtMs } = this.granted;
    const elapsedMs = Math.floor(nowMs - this.askedAtMs);
    return {
      allowed: true,
      limit,
      windowMs,
      remaining: remaining + this.#left,
      retryAfterMs: 0,
      resetAfterMs: Math.max(0, resetAfterMs - elapsedMs),
      delayMs: 0,
      cost,
      taken,
      name,
      key,
      decidedAtMs: decidedAtMs + elapsedMs,
      reason: "allowed",
      source: "lease",
      // as if the parts had been granted one after the other when the portion was
      receipt:
        taken > 0 ? writeReceipt(this.#kernel.tag, taken, this.#rules.without(this.#facts, this.#left)) : "",
    };
  }
}
