import { createGate, type Refusal } from "@sluice/http";
import { admit, announce } from "@sluice/http/node";
import type { DefaultContext, DefaultState, Middleware, ParameterizedContext } from "koa";
import type { CompositeRateLimitOptions, RateLimitOptions } from "./rate-limit-options.js";

/**
 * Middleware that limits what comes after it. Every response to a limited request has the headers of its limits, also where
 * the handler throws, though Koa itself clears all headers then. Where the request is denied, nothing after it runs.
 *
 * @example
 * ```ts
 * import { addressKey, clientAddress, rateLimit } from "@sluice/koa";
 * import { tokenBucket } from "@sluice/token-bucket";
 * import Koa from "koa";
 *
 * const limiter = tokenBucket({ name: "api", capacity: 100, refill: { tokens: 100, every: "1m" } });
 * const app = new Koa();
 * app.use(rateLimit({ limiter, key: (context) => ["ip", addressKey(clientAddress(context.req))] }));
 * ```
 * @throws InvalidPolicyError for wrong options
 */
export function rateLimit<Name extends string, State = DefaultState, Custom = DefaultContext>(
  options:
    | RateLimitOptions<ParameterizedContext<State, Custom>>
    | CompositeRateLimitOptions<Name, ParameterizedContext<State, Custom>>,
): Middleware<State, Custom>;
// said once more for one limit alone, since the compiler explains the last overload
export function rateLimit<State = DefaultState, Custom = DefaultContext>(
  options: RateLimitOptions<ParameterizedContext<State, Custom>>,
): Middleware<State, Custom>;
export function rateLimit<Name extends string, State = DefaultState, Custom = DefaultContext>(
  options:
    | RateLimitOptions<ParameterizedContext<State, Custom>>
    | CompositeRateLimitOptions<Name, ParameterizedContext<State, Custom>>,
): Middleware<State, Custom> {
  const gate = createGate(options);
  const { onLimited } = options;
  return async (context, next) => {
    const verdict = await gate(context.method, context);
    if (verdict.kind === "unlimited") return next();
    if (verdict.kind === "admitted") {
      // who has left needs no answer
      return (await admit(context.res, verdict)) ? next() : undefined;
    }
    announce(context.res, verdict.fields);
    const { decision, refusal } = verdict;
    if (onLimited !== undefined && decision !== undefined) return onLimited(context, next, decision);
    if (!context.headerSent) refuse(context, refusal);
  };
}

/** In Koa's own way, so that what comes before the limit sees the answer. */
function refuse(context: ParameterizedContext, { status, headers, body }: Refusal): void {
  context.status = status;
  context.body = body;
  for (const { name, value } of headers) context.set(name, value);
}
