import { type ByName, InvalidPolicyError, type Key } from "@sluice/core";
import type { AnyDecision } from "./any-decision.js";
import { asError } from "./as-error.js";
import { shown } from "./checks.js";
import { remember } from "./decisions-of.js";
import type { Field } from "./field.js";
import { hold } from "./hold.js";
import { problemDetails, reducedCapacity } from "./problem-details.js";
import { fieldsOf } from "./rate-limit-headers.js";
import {
  type CommonGateOptions,
  type CompositeGateOptions,
  checkedLimiter,
  type GateOptions,
  readOptions,
  type Told,
  type ToldOptions,
} from "./rate-limit-options.js";
import { type Refusal, refusalOf } from "./refusal.js";
import { isStoreError } from "./store-error.js";

/** What becomes of a request. */
export type Verdict = Unlimited | Admitted | Refused;

/** The handler runs, and nothing is said about limits. */
export interface Unlimited {
  readonly kind: "unlimited";
}

/** The handler runs, after `hold`, and its response gets the fields. */
export interface Admitted {
  readonly kind: "admitted";
  readonly decision: AnyDecision;
  /** For {@link addFields}. */
  readonly fields: readonly Field[];
  /** For how long the request has to be held before its handler runs, in milliseconds; most often 0. */
  readonly delayMs: number;
  /** Waits for `delayMs`. Where the signal is aborted meanwhile, gives the units back and rejects with its reason. */
  hold(signal: AbortSignal): Promise<void>;
  /** To be called with the status of the response: gives the units back where `refundWhen` says so. Throws what it throws. */
  answered(status: number): Promise<void>;
}

/** The handler does not run. The answer is what `onLimited` says or, where there is none or no decision, the refusal. */
export interface Refused {
  readonly kind: "refused";
  /** Undefined where the store failed, and `onStoreFailure` of these options denies. */
  readonly decision: AnyDecision | undefined;
  /** For {@link addFields}, whoever answers. */
  readonly fields: readonly Field[];
  readonly refusal: Refusal;
}

/**
 * Decides about a request.
 *
 * @param method of the request, in upper case
 * @param args what the functions among the options are given
 */
export type Gate<Args extends readonly unknown[]> = (method: string, ...args: Args) => Promise<Verdict>;

/**
 * What the middleware of every framework is made of: reads the options, and decides. Framework packages do what it says.
 *
 * @example
 * ```ts
 * import { addFields, createGate } from "@sluice/http";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const limiter = tokenBucket({ name: "api", capacity: 1, refill: { tokens: 1, every: "1m" } });
 * const gate = createGate({ limiter, key: (call: { user: string }) => call.user });
 *
 * const verdict = await gate("GET", { user: "ada" });
 * console.log(verdict.kind); // admitted
 *
 * const headers = new Headers();
 * if (verdict.kind !== "unlimited") addFields(headers, verdict.fields);
 * console.log(headers.get("ratelimit")); // "api";r=0;t=60
 * ```
 * @throws InvalidPolicyError for wrong options. What it makes rejects with what key, cost, reserve, skip and the limiter throw.
 */
export function createGate<Name extends string, Args extends readonly unknown[]>(
  options: GateOptions<Args> | CompositeGateOptions<Name, Args>,
): Gate<Args>;
export function createGate<
  AnyKey extends Key | ByName<string, Key>,
  Units extends number | object,
  Granted extends AnyDecision,
  Args extends readonly unknown[],
>(options: EitherOptions<AnyKey, Units, Granted, Args>): Gate<Args> {
  const { preflight, onStoreFailure, headers, body } = readOptions(options);
  const { skip, refundWhen } = options;

  async function isSkipped(method: string, args: Args): Promise<boolean> {
    if (preflight === "skip" && method === "OPTIONS") return true;
    return (await skip?.(...args)) ?? false;
  }

  function gives(status: number): boolean {
    const said: unknown = refundWhen?.(status);
    // a promise would be taken for yes, always
    if (typeof said !== "object") return Boolean(said);
    throw new InvalidPolicyError(`rateLimit: refundWhen must say true or false at once, got ${shown(said)}`);
  }

  function admitted(limiter: AnyLimiter<AnyKey, Units, Granted>, decision: Granted): Admitted {
    // what came of the request matters more than a unit that a failing store keeps
    const refund = (): Promise<void> => limiter.refund(decision).catch(() => {});
    return {
      kind: "admitted",
      decision,
      fields: fieldsOf(decision, headers),
      delayMs: decision.delayMs,
      async hold(signal) {
        try {
          await hold(decision.delayMs, signal);
        } catch (reason) {
          await refund();
          throw reason;
        }
      },
      answered: (status) => (gives(status) ? refund() : DONE),
    };
  }

  function failed(limiter: AnyLimiter<AnyKey, Units, Granted>, error: unknown): Verdict {
    if (onStoreFailure === "throw" || !isStoreError(error)) throw error;
    if (onStoreFailure === "allow") return { kind: "unlimited" };
    const names = Object.keys(limiter.policies ?? { [limiter.name]: limiter });
    const fields = [{ name: "Retry-After", value: "1" }];
    return {
      kind: "refused",
      decision: undefined,
      fields,
      refusal: refusalOf(reducedCapacity(names, 1), body),
    };
  }

  async function decide(method: string, args: Args): Promise<Verdict> {
    if (await isSkipped(method, args)) return { kind: "unlimited" };
    const limiter = checkedLimiter(await told(options.limiter, args));
    const key = await told(options.key, args);
    const cost = await told(options.cost, args);
    const reserve = await told(options.reserve, args);
    let decision: Granted;
    try {
      decision = await limiter.consume(key, { cost, reserve });
    } catch (error) {
      return failed(limiter, error);
    }
    remember(args[0], decision);
    if (decision.allowed) return admitted(limiter, decision);
    const refusal = refusalOf(problemDetails(decision), body);
    return { kind: "refused", decision, fields: fieldsOf(decision, headers), refusal };
  }

  return async (method, ...args) => {
    try {
      return await decide(method, args);
    } catch (thrown) {
      throw asError(thrown);
    }
  };
}

const DONE: Promise<void> = Promise.resolve();

/** Options for a limiter or a composite alike. */
interface EitherOptions<AnyKey, Units, Granted, Args extends readonly unknown[]>
  extends CommonGateOptions<Args>,
    ToldOptions<AnyKey, Units, Args> {
  limiter: Told<AnyLimiter<AnyKey, Units, Granted>, Args>;
}

interface AnyLimiter<AnyKey, Units, Granted> {
  readonly name: string;
  /** Of a composite. */
  readonly policies?: object;
  consume(key: AnyKey, units: { cost: Units | undefined; reserve: Units | undefined }): Promise<Granted>;
  refund(decision: Granted): Promise<void>;
}

function told<Value extends string | number | object | undefined, Args extends readonly unknown[]>(
  said: Told<Value, Args>,
  args: Args,
): Value | Promise<Value> {
  return typeof said === "function" ? said(...args) : said;
}
