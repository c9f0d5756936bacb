import { type CanActivate, type ExecutionContext, Inject, Injectable } from "@nestjs/common";
import { InvalidPolicyError } from "@sluice/core";
import { admit, announce } from "@sluice/http/node";
import { goesOn } from "./goes-on.js";
import { type HttpRequest, type HttpResponse, rawResponse } from "./http-request.js";
import { RateLimitedException } from "./rate-limited-exception.js";
import { RouteLimits } from "./route-limits.js";

/**
 * Lets requests pass as the module and the decorators say. The module makes it the guard of every route; with `global: false`
 * say `@UseGuards(RateLimitGuard)`.
 *
 * For handlers that are not called by HTTP itself, such as resolvers of GraphQL, extend it by `requestOf` and `responseOf`.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  // by property, so that classes that extend it can have a constructor of their own
  @Inject(RouteLimits) private readonly limits?: RouteLimits;

  /**
   * @throws RateLimitedException where the request is denied, InvalidPolicyError for wrong options, and what the functions
   * among the options and the limiter throw
   */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.limits === undefined) refuseInstance();
    const limit = this.limits.of(context.getClass(), context.getHandler());
    if (limit === undefined || limit.counted.has(context)) return true;
    const request = this.requestOf(context);
    const answerable = this.responseOf(context);
    const response = rawResponse(answerable);
    // not by request: one of GraphQL calls many handlers, or one many times
    limit.counted.add(context);
    const verdict = await limit.gate(request.method, request, context);
    if (verdict.kind === "unlimited") return true;
    if (verdict.kind === "admitted") return (await admit(response, verdict)) || never();
    announce(response, verdict.fields);
    const { decision } = verdict;
    if (limit.onLimited === undefined || decision === undefined) {
      announce(
        response,
        verdict.refusal.headers.filter(({ name }) => name !== "Content-Type"),
      );
      throw new RateLimitedException(verdict);
    }
    const { onLimited } = limit;
    return (await goesOn(() => onLimited(request, context, decision), answerable)) || never();
  }

  /** The request that a context belongs to, for the functions among the options. @throws InvalidPolicyError unless it is of HTTP */
  protected requestOf(context: ExecutionContext): HttpRequest {
    refuseOthers(context);
    return context.switchToHttp().getRequest<HttpRequest>();
  }

  /** The response that gets the headers. @throws InvalidPolicyError unless the context is of HTTP */
  protected responseOf(context: ExecutionContext): HttpResponse {
    refuseOthers(context);
    return context.switchToHttp().getResponse<HttpResponse>();
  }
}

function refuseInstance(): never {
  throw new InvalidPolicyError(
    "RateLimitGuard was made by new, and knows no limits: say the class, as in @UseGuards(RateLimitGuard)",
  );
}

function refuseOthers(context: ExecutionContext): void {
  const type = context.getType<string>();
  if (type === "http") return;
  const name = `${context.getClass().name}.${context.getHandler().name}`;
  throw new InvalidPolicyError(
    `${name} is not called by HTTP but by ${JSON.stringify(type)}: ` +
      "extend RateLimitGuard by requestOf and responseOf, or say @SkipRateLimit()",
  );
}

/**
 * The end of a request that was answered, or whose client has left: nobody is there to be answered, and nothing has failed. `false` would be made an
 * error by Nest. A new promise each time, since one for all would keep every request that waits for it.
 */
function never(): Promise<never> {
  return new Promise(() => {});
}
