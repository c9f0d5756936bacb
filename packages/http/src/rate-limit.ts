import type { AnyDecision } from "./any-decision.js";
import { createGate, type Gate } from "./gate.js";
import { responseOf } from "./problem.js";
import type { CompositeGateOptions, GateOptions } from "./rate-limit-options.js";
import { withFields } from "./with-fields.js";

/** What functions among the options are given: what the handler is given. */
type HandlerArgs<Rest extends readonly unknown[]> = [request: Request, ...rest: Rest];

interface OnLimited<Rest extends readonly unknown[]> {
  /** Answers in place of the refusal, with less, say. The headers are added to what it returns. */
  onLimited?:
    | ((request: Request, decision: AnyDecision, ...rest: Rest) => Response | Promise<Response>)
    | undefined;
}

/** Options for one limit. `Rest` is what the handler is given beside the request. */
export interface RateLimitOptions<Rest extends readonly unknown[] = readonly unknown[]>
  extends GateOptions<HandlerArgs<Rest>>,
    OnLimited<Rest> {}

/** Options for several limits: key, cost and reserve are one for all of them, or one for each by name. */
export interface CompositeRateLimitOptions<
  Name extends string,
  Rest extends readonly unknown[] = readonly unknown[],
> extends CompositeGateOptions<Name, HandlerArgs<Rest>>,
    OnLimited<Rest> {}

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
  options: RateLimitOptions | CompositeRateLimitOptions<Name>,
): LimitHandler<readonly unknown[]>;
export function rateLimit<Name extends string, Rest extends readonly unknown[]>(
  options: RateLimitOptions<Rest> | CompositeRateLimitOptions<Name, Rest>,
): LimitHandler<Rest>;
// said once more for one limit alone, since the compiler explains the last overload
export function rateLimit<Rest extends readonly unknown[]>(
  options: RateLimitOptions<Rest>,
): LimitHandler<Rest>;
export function rateLimit<Name extends string, Rest extends readonly unknown[]>(
  options: RateLimitOptions<Rest> | CompositeRateLimitOptions<Name, Rest>,
): LimitHandler<Rest> {
  const gate: Gate<HandlerArgs<Rest>> = createGate(options);
  const { onLimited } = options;
  return (handler) =>
    async (request, ...rest) => {
      const verdict = await gate(request.method, request, ...rest);
      if (verdict.kind === "unlimited") return handler(request, ...rest);
      const { decision, fields } = verdict;
      if (verdict.kind === "refused") {
        if (onLimited === undefined || decision === undefined) return responseOf(verdict.refusal, fields);
        return withFields(await onLimited(request, decision, ...rest), fields);
      }
      // some runtimes make the signal only when it is asked for
      if (verdict.delayMs > 0) await verdict.hold(request.signal);
      let response: Response;
      try {
        response = await handler(request, ...rest);
      } catch (error) {
        // whoever catches it answers 500
        await verdict.answered(500);
        throw error;
      }
      // who asks and hangs up gets nothing back
      if (!request.signal.aborted) await verdict.answered(response.status);
      return withFields(response, fields);
    };
}
