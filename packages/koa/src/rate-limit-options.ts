import type { AnyDecision, CompositeGateOptions, GateOptions } from "@sluice/http";
import type { Next, ParameterizedContext } from "koa";

interface OnLimited<Context> {
  /** Answers in place of the refusal, or goes on with less by `await next()`. */
  onLimited?: ((context: Context, next: Next, decision: AnyDecision) => unknown) | undefined;
}

/** Options for one limit. `Context` is that of the app, as Koa has it. */
export interface RateLimitOptions<Context = ParameterizedContext>
  extends GateOptions<[context: Context]>,
    OnLimited<Context> {}

/** Options for several limits: key, cost and reserve are one for all of them, or one for each by name. */
export interface CompositeRateLimitOptions<Name extends string, Context = ParameterizedContext>
  extends CompositeGateOptions<Name, [context: Context]>,
    OnLimited<Context> {}
