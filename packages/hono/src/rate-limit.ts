import { type Admitted, createGate, type Refused, withFields } from "@sluice/http";
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
): MiddlewareHandler<E>;
// said once more for one limit alone, since the compiler explains the last overload
export function rateLimit<E extends Env = UnknownEnv>(options: RateLimitOptions<E>): MiddlewareHandler<E>;
export function rateLimit<E extends Env = UnknownEnv, Name extends string = string>(
  options: RateLimitOptions<E> | CompositeRateLimitOptions<Name, E>,
): MiddlewareHandler<E> {
  const gate = createGate(options);
  const { onLimited } = options;
  return async (context, next) => {
    const verdict = await gate(context.req.method, context);
    if (verdict.kind === "unlimited") return next();
    const { fields } = verdict;
    try {
      if (verdict.kind === "admitted") await admit(verdict, context, next);
      else await refuse(verdict, context, next);
    } catch (error) {
      // for the response that app.onError makes of it
      for (const { name, value } of fields) context.header(name, value);
      throw error;
    }
    replace(context, withFields(context.res, fields));
  };

  async function refuse({ decision, refusal }: Refused, context: Context<E>, next: Next): Promise<void> {
    if (onLimited === undefined || decision === undefined) {
      const headers = refusal.headers.map(({ name, value }) => [name, value]);
      context.res = context.body(refusal.body, refusal.status, Object.fromEntries(headers));
      return;
    }
    const answer = await onLimited(context, next, decision);
    // next() of Hono resolves with the context, and there may be two classes of responses
    if (typeof answer === "object" && "headers" in answer) context.res = answer;
  }
}

async function admit<E extends Env>(verdict: Admitted, context: Context<E>, next: Next): Promise<void> {
  const { raw } = context.req;
  // some runtimes make the signal only when it is asked for
  if (verdict.delayMs > 0) await verdict.hold(raw.signal);
  await run(next, verdict);
  // who asks and hangs up gets nothing back
  if (!raw.signal.aborted) await verdict.answered(context.res.status);
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
