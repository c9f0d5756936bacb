import { InvalidPolicyError } from "@sluice/core";
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Limit } from "./limit.js";
import { applyLimit } from "./limiting.js";
import type { HookRateLimitOptions, PartialRateLimitOptions, Stage } from "./rate-limit-options.js";
import { createScope, nearestScope, type Scope, setScope } from "./scope.js";

/** A hook function that limits, for `onRequest`, `preParsing`, `preValidation` and `preHandler`. */
export type RateLimitHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

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
function limitAt(stage: Stage, scope: Scope): RateLimitHook {
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

function hookOf(this: FastifyInstance, options?: HookRateLimitOptions): RateLimitHook {
  if (options !== undefined && "hook" in options) {
    throw new InvalidPolicyError("rateLimit: the option hook has no meaning for what is a hook already");
  }
  const scope = nearestScope(this);
  const limit = options === undefined ? scope?.limit : scope?.own(options);
  if (limit === undefined) throw new InvalidPolicyError("rateLimit: the option limiter is missing");
  return (request, reply) => applyLimit(limit, request, reply);
}
