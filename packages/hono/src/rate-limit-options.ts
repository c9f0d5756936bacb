import type { AnyDecision, CompositeGateOptions, GateOptions } from "@sluice/http";
import type { Context, Env, Next } from "hono";

/** What is assumed of an app that does not say what its environment is. */
export interface UnknownEnv {
  Bindings: Record<string, unknown>;
  Variables: Record<string, unknown>;
}

interface OnLimited<E extends Env> {
  /** Answers in place of the refusal, or goes on with less by `await next()`. The headers are added to what is answered. */
  onLimited?:
    | ((
        context: Context<E>,
        next: Next,
        decision: AnyDecision,
        // biome-ignore lint/suspicious/noConfusingVoidType: who goes on by next() returns nothing
      ) => Response | undefined | void | Promise<Response | undefined | void>)
    | undefined;
}

/** Options for one limit. `E` is the environment of the app, as Hono has it. */
export interface RateLimitOptions<E extends Env = UnknownEnv>
  extends GateOptions<[context: Context<E>]>,
    OnLimited<E> {}

/** Options for several limits: key, cost and reserve are one for all of them, or one for each by name. */
export interface CompositeRateLimitOptions<Name extends string, E extends Env = UnknownEnv>
  extends CompositeGateOptions<Name, [context: Context<E>]>,
    OnLimited<E> {}
