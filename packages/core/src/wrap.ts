import type { ByName } from "./by-name.js";
import type { CompositeAcquireOptions } from "./compose.js";
import type { AcquireOptions, Key } from "./limiter.js";
import {
  type Acquirable,
  type RefundOption,
  runWhenGranted,
  type Waitable,
  type WaitableComposite,
} from "./schedule.js";

type Saying<Args extends unknown[], Value> = Value | ((...args: Args) => Value);

/** Whom a wrapped function's calls count against, and for how much: said once, or of each call's arguments. */
export interface WrapOptions<Args extends unknown[]>
  extends Omit<AcquireOptions, "cost" | "signal">,
    RefundOption {
  key: Saying<Args, Key>;
  cost?: Saying<Args, number | undefined>;
  signal?: Saying<Args, AbortSignal | undefined>;
}

/** The same for several limits. */
export interface CompositeWrapOptions<Args extends unknown[], Name extends string>
  extends Omit<CompositeAcquireOptions<Name>, "cost" | "signal">,
    RefundOption {
  key: Saying<Args, Key | ByName<Name, Key>>;
  cost?: Saying<Args, number | ByName<Name, number> | undefined>;
  signal?: Saying<Args, AbortSignal | undefined>;
}

/**
 * Makes a function of which each call waits until a limiter allows it. Arguments, result, `this` and errors are the
 * function's own.
 *
 * @example
 * ```ts
 * import { wrap } from "@sluice/core";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const mail = tokenBucket({ name: "mail", capacity: 10, refill: { tokens: 1, every: "1s" } });
 * const send = async (to: string, text: string) => `${text} to ${to}`;
 * const politely = wrap(mail, send, { key: (to) => to.split("@").slice(-1), cost: 1 });
 * console.log(await politely("ann@example.org", "hello")); // hello to ann@example.org
 * ```
 * @throws what `acquire` throws: then the function has not run
 */
export function wrap<This, Args extends unknown[], Result, Name extends string>(
  limiter: WaitableComposite<Name>,
  fn: (this: This, ...args: Args) => Result | Promise<Result>,
  options: CompositeWrapOptions<Args, Name>,
): (this: This, ...args: Args) => Promise<Result>;
export function wrap<This, Args extends unknown[], Result, Name extends string>(
  limiter: Waitable<Name>,
  fn: (this: This, ...args: Args) => Result | Promise<Result>,
  options: WrapOptions<Args>,
): (this: This, ...args: Args) => Promise<Result>;
export function wrap<This, Args extends unknown[], Result>(
  limiter: Acquirable<unknown, object, unknown>,
  fn: (this: This, ...args: Args) => Result | Promise<Result>,
  { key, cost, signal, ...others }: { key: unknown; cost?: unknown; signal?: unknown },
): (this: This, ...args: Args) => Promise<Result> {
  return async function wrapped(...args) {
    const asked = { ...others, cost: said(cost, args), signal: said(signal, args) };
    return runWhenGranted(limiter, said(key, args), () => fn.apply(this, args), asked);
  };
}

function said<Args extends unknown[]>(saying: unknown, args: Args): unknown {
  return typeof saying === "function" ? saying(...args) : saying;
}
