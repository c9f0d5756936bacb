import type { ByName } from "./by-name.js";
import type { CompositeAcquireOptions, CompositeDecision, CompositeLimiter } from "./compose.js";
import type { Decision } from "./decision.js";
import type { AcquireOptions, Key, Limiter } from "./limiter.js";

/** What becomes of the units that a scheduled function was granted. */
export interface RefundOption {
  /**
   * Whether to give the units back: is told what the function returned or, as the second argument says, threw. For a call
   * that failed before it reached the other side, say. Default: they stay taken.
   */
  refundOn?: ((outcome: unknown, hasThrown: boolean) => boolean) | undefined;
}

/** As far as {@link schedule} and {@link wrap} need a limiter. */
export type Waitable<Name extends string> = Pick<Limiter<Name>, "name" | "acquire" | "refund">;

/** The same of a composite. */
export type WaitableComposite<Name extends string> = Pick<
  CompositeLimiter<Name>,
  "name" | "policies" | "acquire" | "refund"
>;

/** Of a limiter or a composite alike. */
export interface Acquirable<AnyKey, Options, Granted> {
  acquire(key: AnyKey, options?: Options): Promise<Granted>;
  refund(decision: Granted): Promise<void>;
}

/**
 * Runs a function once a limiter allows it, and returns its result. What the function throws passes through untouched.
 *
 * @param fn is told the decision, which it may settle
 * @example
 * ```ts
 * import { schedule } from "@sluice/core";
 * import { leakyBucket } from "@sluice/leaky-bucket";
 *
 * const perHost = leakyBucket({ name: "crawl", leak: { tokens: 2, every: "1s" }, capacity: 100 });
 * const page = await schedule(perHost, "example.org", async () => "a page", { maxWaitMs: 10_000 });
 * console.log(page); // a page
 * ```
 * @throws what `acquire` throws: then the function has not run
 */
export function schedule<Name extends string, Result>(
  limiter: WaitableComposite<Name>,
  key: Key | ByName<Name, Key>,
  fn: (decision: CompositeDecision<Name>) => Result | Promise<Result>,
  options?: CompositeAcquireOptions<Name> & RefundOption,
): Promise<Result>;
export function schedule<Name extends string, Result>(
  limiter: Waitable<Name>,
  key: Key,
  fn: (decision: Decision<Name>) => Result | Promise<Result>,
  options?: AcquireOptions & RefundOption,
): Promise<Result>;
export function schedule<AnyKey, Options extends object, Granted, Result>(
  limiter: Acquirable<AnyKey, Options, Granted>,
  key: AnyKey,
  fn: (decision: Granted) => Result | Promise<Result>,
  options?: Options & RefundOption,
): Promise<Result> {
  return runWhenGranted(limiter, key, fn, options);
}

/** As {@link schedule}, for whatever can be waited for. */
export async function runWhenGranted<AnyKey, Options extends object, Granted, Result>(
  limiter: Acquirable<AnyKey, Options, Granted>,
  key: AnyKey,
  fn: (decision: Granted) => Result | Promise<Result>,
  options?: Options & RefundOption,
): Promise<Result> {
  const refundOn = options?.refundOn;
  const decision = await limiter.acquire(key, options && withoutRefundOn(options));
  const giveBackIf = async (outcome: unknown, hasThrown: boolean): Promise<void> => {
    // what came of the function matters more than a unit that a failing store keeps
    if (refundOn?.(outcome, hasThrown)) await limiter.refund(decision).catch(() => {});
  };
  let result: Result;
  try {
    result = await fn(decision);
  } catch (error) {
    await giveBackIf(error, true).catch(() => {});
    throw error;
  }
  await giveBackIf(result, false);
  return result;
}

/** What is left for the limiter, which refuses what it does not know. */
function withoutRefundOn<Options extends object>(options: Options & RefundOption): Options {
  const others: Options & RefundOption = { ...options };
  delete others.refundOn;
  return others;
}
