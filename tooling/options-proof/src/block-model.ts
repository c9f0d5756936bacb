import type { Decision } from "@sluice/core";

/** When the block of one key ends, as it would be explained to somebody. */
export class BlockModel {
  #untilMs = 0;
  #spanMs = 0;

  block(nowMs: number, spanMs: number): void {
    this.#untilMs = nowMs + spanMs;
    this.#spanMs = spanMs;
  }

  unblock(): void {
    this.#untilMs = 0;
  }

  /** What is left at `nowMs`: where the clock was set back, no more than a whole block. */
  leftMs(nowMs: number): number {
    return Math.max(0, Math.min(this.#untilMs - nowMs, this.#spanMs));
  }

  /** A consume finds the key blocked: what is left counts from now on, if the clock was set back. */
  found(nowMs: number): void {
    if (this.leftMs(nowMs) > 0) this.#untilMs = nowMs + this.leftMs(nowMs);
  }

  get untilMs(): number {
    return this.#untilMs;
  }
}

/** What a blocked caller is told in place of what the limit alone would say. */
export function blocked(alone: Decision, leftMs: number): Decision {
  const ownMs = alone.allowed ? 0 : alone.retryAfterMs;
  return {
    ...alone,
    allowed: false,
    reason: alone.reason === "never" ? "never" : "blocked",
    remaining: 0,
    retryAfterMs: Math.max(leftMs, ownMs),
    resetAfterMs: Math.max(leftMs, alone.resetAfterMs),
    delayMs: 0,
    taken: 0,
    receipt: "",
  };
}

/** What the caller is told whose denial blocks the key. */
export function blocking(denial: Decision, spanMs: number): Decision {
  return { ...blocked(denial, spanMs), reason: "limited" };
}
