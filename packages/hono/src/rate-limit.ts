import { type Admitted, createGate, responseOf, withFields } from "@sluice/http";
import type { Context, Env, MiddlewareHandler, Next } from "hono";
import type { CompositeRateLimitOptions, RateLimitOptions, UnknownEnv } from "./rate-limit-options.js";

/**
 * Middleware that limits what comes after it. Every response to a limited request has the headers of its limits, also where
 * the handler throws. Where the request is denied, nothing after it runs. What fails comes to `app.onError`, once.
 *
 * @example
 * ```ts
 * import { rateLimit } from "@sluice/hono";
 * import { tokenBucket } from "@sluice/token-bucket";
 * import { Hono } from "hono";
 *
 * const limiter = tokenBucket({ name: "api", capacity: 100, refill: { tokens: 100, every: "1m" } });
 * const app = new Hono();
 * app.use(rateLimit({ limiter, key: (context) => context.req.header("x-api-key") ?? "nobody" }));
 * ```
 * @throws InvalidPolicyError for wrong options
 */
export function rateLimit<E extends Env = UnknownEnv, Name extends string = string>(
  options: RateLimitOptions<E> | CompositeRateLimitOptions<Name, E>,
): MiddlewareHandler<E> {
  const gate = createGate(options);
  const { onLimited } = options;
  return async (context, next) => {
    const verdict = await gate(context.req.method, context);
    if (verdict.kind === "unlimited") return next();
    const { decision, fields } = verdict;
    if (verdict.kind === "admitted") {
      // some runtimes make the signal only when it is asked for
      if (verdict.delayMs > 0) await verdict.hold(context.req.raw.signal);
      await run(next, verdict);
      await verdict.answered(context.res.status);
    } else if (onLimited === undefined || decision === undefined) {
      context.res = responseOf(verdict.refusal, []);
    } else {
      const answer = await onLimited(context, next, decision);
      if (answer !== undefined) context.res = answer;
    }
    replace(context, withFields(context.res, fields));
  };
}

/** Runs what comes next. An error that it throws has become a response by then, but not what is thrown and is no error. */
async function run(next: Next, { answered }: Admitted): Promise<void> {
  try {
    await next();
  } catch (thrown) {
    await answered(500);
    throw thrown;
  }
}

/** Makes a response the one that is sent. Hono would put the headers of the present one over those of a new one. */
function replace<E extends Env>(context: Context<E>, response: Response): void {
  if (response === context.res) return;
  context.res = undefined;
  context.res = response;
}
