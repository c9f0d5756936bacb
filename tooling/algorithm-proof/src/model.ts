/** What a call asks for, as a caller says it. */
export interface ModelCall {
  readonly cost: number;
  readonly atLeast: number;
  readonly reserve: number;
}

/** What a Decision must say. */
export interface ModelAnswer {
  readonly allowed: boolean;
  readonly taken: number;
  readonly remaining: number;
  /** 0 when allowed, `Infinity` when it can never pass. */
  readonly retryAfterMs: number;
  readonly resetAfterMs: number;
  readonly delayMs: number;
}

/**
 * An algorithm as it would be explained to somebody, for one key: written plainly, in exact numbers, and not as the
 * kernels are. It is told the time, which may step back. Calls are told apart by numbers, by which a later refund
 * or settlement names its call.
 */
export interface Model {
  consume(nowMs: number, call: ModelCall, id: number): ModelAnswer;
  peek(nowMs: number, call: ModelCall): ModelAnswer;
  /** Undoes call `id`; a call that took nothing gives nothing back. */
  refund(nowMs: number, id: number): void;
  /**
   * Makes call `id` have taken `actualCost`.
   *
   * @returns false where that would be a debt too large to be counted exactly: nothing has changed
   */
  settle(nowMs: number, id: number, actualCost: number): boolean;
  reset(): void;
}
