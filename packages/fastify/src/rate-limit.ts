import { InvalidPolicyError } from "@sluice/core";
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { checkHookOptions } from "./check-options.js";
import type { Limit } from "./limit.js";
import { applyLimit } from "./limiting.js";
import type { HookRateLimitOptions, PartialRateLimitOptions, Stage } from "./rate-limit-options.js";
import { createScope, nearestScope, type Scope, setScope } from "./scope.js";

/** What the requests of all servers have, by HTTP/1 and HTTP/2, and of all routes, whatever their types. */
type AnyRequest = Pick<FastifyRequest, "id" | "ip" | "method" | "url" | "is404">;

/** Likewise. */
type AnyReply = Pick<FastifyReply, "statusCode" | "sent" | "elapsedTime">;

/** A hook function that limits, for `onRequest`, `preParsing`, `preValidation` and `preHandler` of servers of any kind. */
export type RateLimitHook = (request: AnyRequest, reply: AnyReply) => Promise<void>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Options of this route over those of the registration, of which only the limit they make counts then; or no limit. */
    rateLimit?: PartialRateLimitOptions | false | undefined;
  }

  interface FastifyInstance {
    /**
     * Makes a hook that limits what is no route, such as the handler of what was not found.
     *
     * @param options over those of the nearest registration
     * @throws InvalidPolicyError for wrong options, and where there is no limiter
     */
    rateLimit(options?: HookRateLimitOptions): RateLimitHook;
  }
}

/**
 * A plugin that limits all routes of the scope in which it is registered, and of the scopes in that one. Every response to a
 * limited request has the headers of its limits. Where the request is denied, neither its handler nor a later hook runs.
 *
 * @example
 * ```ts
 * import { addressKey, rateLimit } from "@sluice/fastify";
 * import { tokenBucket } from "@sluice/token-bucket";
 * import fastify from "fastify";
 *
 * const limiter = tokenBucket({ name: "api", capacity: 100, refill: { tokens: 100, every: "1m" } });
 * const app = fastify();
 * await app.register(rateLimit, { limiter, key: (request) => ["ip", addressKey(request.ip)] });
 * app.get("/", async () => "hello");
 * app.get("/health", { config: { rateLimit: false } }, async () => "fine");
 * ```
 * @throws InvalidPolicyError for wrong options. With no limiter, it limits the routes that have one of their own.
 */
export const rateLimit: FastifyPluginAsync<PartialRateLimitOptions> = fastifyPlugin(register, {
  name: "@sluice/fastify",
  fastify: "5.x",
});

async function register(instance: FastifyInstance, options: PartialRateLimitOptions): Promise<void> {
  const scope = createScope(options);
  if (nearestScope(instance) === undefined) instance.decorate("rateLimit", hookOf);
  setScope(instance, scope);
  // hooks of the instance, since a hook for new routes would miss those that were declared while this one was loading
  for (const stage of ["onRequest", "preValidation", "preHandler"] as const) {
    instance.addHook(stage, limitAt(stage, scope));
  }
  instance.addHook("preParsing", limitAt("preParsing", scope));
  // so that wrong options are refused where a route is declared
  instance.addHook("onRoute", function ({ config }) {
    const own = config?.rateLimit;
    if (own !== undefined && own !== false && nearestScope(this) === scope) scope.own(own);
  });
}

/** What limits requests at one stage of their life. */
function limitAt(
  stage: Stage,
  scope: Scope,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const limit = limitOf(request, scope);
    if (limit?.stage === stage) await applyLimit(limit, request, reply);
  };
}

/** A limit of the route's own replaces those of all registrations around it, and the nearest of them looks after it. */
function limitOf(request: FastifyRequest, scope: Scope): Limit | undefined {
  if (request.is404) return undefined;
  const own = request.routeOptions.config.rateLimit;
  if (own === undefined) return scope.limit;
  return own !== false && nearestScope(request.server) === scope ? scope.own(own) : undefined;
}

function hookOf(this: FastifyInstance | undefined, options?: HookRateLimitOptions): RateLimitHook {
  const scope = this === undefined ? undefined : nearestScope(this);
  if (scope === undefined) {
    throw new TypeError(
      "rateLimit must be called as a method: app.rateLimit(), of the instance that it is to limit",
    );
  }
  if (options !== undefined) checkHookOptions(options);
  const limit = options === undefined ? scope.limit : scope.own(options);
  if (limit === undefined) throw new InvalidPolicyError("app.rateLimit: the option limiter is missing");
  return hookFor(limit);
}

/** Of servers of any kind, of which the options see what they have in common. */
function hookFor(limit: Limit): RateLimitHook {
  function hook<Request extends AnyRequest, Reply extends AnyReply>(
    request: Request,
    reply: Reply,
  ): Promise<void>;
  function hook(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return applyLimit(limit, request, reply);
  }
  return hook;
}
