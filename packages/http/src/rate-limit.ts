import type { ByName, Key } from "@sluice/core";
import type { AnyDecision } from "./any-decision.js";
import { hold } from "./hold.js";
import { refusal } from "./problem.js";
import { problemDetails, reducedCapacity } from "./problem-details.js";
import { fieldsOf } from "./rate-limit-headers.js";
import {
  type CommonRateLimitOptions,
  type CompositeRateLimitOptions,
  type RateLimitOptions,
  readOptions,
  type Told,
  type ToldOptions,
} from "./rate-limit-options.js";
import { isStoreError } from "./store-error.js";
import { withFields } from "./with-fields.js";

/** Limits a fetch handler: takes one, and returns one of the same arguments. */
export type LimitHandler<Rest extends readonly unknown[]> = <Incoming extends Request, Own extends Rest>(
  handler: (request: Incoming, ...rest: Own) => Response | Promise<Response>,
) => (request: Incoming, ...rest: Own) => Promise<Response>;

/**
 * Limits fetch handlers: functions that are given a `Request`, and perhaps more, and return a `Response`. Every response to
 * a limited request has the headers of its limits. Where the request is denied, the handler does not run.
 *
 * @example
 * ```ts
 * import { rateLimit } from "@sluice/http";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const limiter = tokenBucket({ name: "api", capacity: 2, refill: { tokens: 2, every: "1m" } });
 * const limited = rateLimit({ limiter, key: (request) => request.headers.get("x-api-key") ?? "nobody" });
 * const hello = limited(() => new Response("hello"));
 *
 * const response = await hello(new Request("http://localhost/"));
 * console.log(response.headers.get("ratelimit")); // "api";r=1;t=30
 * ```
 * @throws InvalidPolicyError for wrong options. What it makes rejects with what key, cost, reserve, skip, the limiter and the
 * handler throw.
 */
export function rateLimit<Name extends string>(
  options: CompositeRateLimitOptions<Name>,
): LimitHandler<readonly unknown[]>;
export function rateLimit(options: RateLimitOptions): LimitHandler<readonly unknown[]>;
export function rateLimit<Name extends string, Rest extends readonly unknown[]>(
  options: CompositeRateLimitOptions<Name, Rest>,
): LimitHandler<Rest>;
export function rateLimit<Rest extends readonly unknown[]>(
  options: RateLimitOptions<Rest>,
): LimitHandler<Rest>;
export function rateLimit<
  AnyKey extends Key | ByName<string, Key>,
  Units extends number | object,
  Granted extends AnyDecision,
  Rest extends readonly unknown[],
>(options: AnyOptions<AnyKey, Units, Granted, Rest>): LimitHandler<Rest> {
  const { preflight, onStoreFailure, headers, body } = readOptions(options);
  const { limiter, skip, onLimited, refundWhen } = options;

  async function asked(request: Request, rest: Rest): Promise<Asked<AnyKey, Units>> {
    const key = await told(options.key, request, rest);
    const cost = await told(options.cost, request, rest);
    return { key, cost, reserve: await told(options.reserve, request, rest) };
  }

  async function isSkipped(request: Request, rest: Rest): Promise<boolean> {
    if (preflight === "skip" && request.method === "OPTIONS") return true;
    return (await skip?.(request, ...rest)) ?? false;
  }

  // what came of the request matters more than a unit that a failing store keeps
  async function refund(decision: Granted): Promise<void> {
    await limiter.refund(decision).catch(() => {});
  }

  async function refundAfter(status: number, decision: Granted): Promise<void> {
    if (refundWhen?.(status)) await refund(decision);
  }

  return (handler) =>
    async (request, ...rest) => {
      if (await isSkipped(request, rest)) return handler(request, ...rest);
      const { key, ...units } = await asked(request, rest);
      let decision: Granted;
      try {
        decision = await limiter.consume(key, units);
      } catch (error) {
        if (onStoreFailure === "throw" || !isStoreError(error)) throw error;
        if (onStoreFailure === "allow") return handler(request, ...rest);
        const names = Object.keys(limiter.policies ?? { [limiter.name]: limiter });
        return refusal(reducedCapacity(names, 1), [{ name: "Retry-After", value: "1" }], body);
      }
      const fields = fieldsOf(decision, headers);
      if (!decision.allowed) {
        if (onLimited === undefined) return refusal(problemDetails(decision), fields, body);
        return withFields(await onLimited(request, decision, ...rest), fields);
      }
      try {
        await hold(decision.delayMs, request.signal);
      } catch (reason) {
        await refund(decision);
        throw reason;
      }
      let response: Response;
      try {
        response = await handler(request, ...rest);
      } catch (error) {
        await refundAfter(500, decision).catch(() => {});
        throw error;
      }
      await refundAfter(response.status, decision);
      return withFields(response, fields);
    };
}

/** Options for a limiter or a composite alike. */
interface AnyOptions<AnyKey, Units, Granted, Rest extends readonly unknown[]>
  extends CommonRateLimitOptions<Rest>,
    ToldOptions<AnyKey, Units, Rest> {
  limiter: {
    readonly name: string;
    /** Of a composite. */
    readonly policies?: object;
    consume(key: AnyKey, units: Omit<Asked<AnyKey, Units>, "key">): Promise<Granted>;
    refund(decision: Granted): Promise<void>;
  };
}

interface Asked<AnyKey, Units> {
  readonly key: AnyKey;
  readonly cost: Units | undefined;
  readonly reserve: Units | undefined;
}

function told<Value extends string | number | object | undefined, Rest extends readonly unknown[]>(
  said: Told<Value, Rest>,
  request: Request,
  rest: Rest,
): Value | Promise<Value> {
  return typeof said === "function" ? said(request, ...rest) : said;
}
