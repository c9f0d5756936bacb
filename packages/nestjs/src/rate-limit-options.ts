import type { ExecutionContext } from "@nestjs/common";
import type { ByName, Key } from "@sluice/core";
import type {
  AnyDecision,
  CommonGateOptions,
  CompositeGateOptions,
  GateOptions,
  ToldOptions,
} from "@sluice/http";
import type { HttpRequest } from "./http-request.js";

/** What functions among the options are given. */
export type Args<Request extends HttpRequest = HttpRequest> = [request: Request, context: ExecutionContext];

/** A limiter, or a composite. */
export type AnyLimiter<Name extends string = string> =
  | GateOptions<Args>["limiter"]
  | CompositeGateOptions<Name, Args>["limiter"];

/**
 * What a decorator says about its routes. What it leaves out is taken from the decorator of the class and then from the
 * module.
 *
 * `Request` is the type of request that the functions take, by default what both platforms have.
 */
export interface RateLimitOptions<Request extends HttpRequest = HttpRequest, Name extends string = string>
  extends CommonGateOptions<Args<Request>>,
    Partial<ToldOptions<Key | ByName<Name, Key>, number | ByName<Name, number>, Args<Request>>> {
  /** A limiter, a composite, or the name of one that the module was given. */
  limiter?: string | AnyLimiter<Name> | undefined;
  /**
   * Sees a request that is denied. Where it returns the handler runs after all, with less, say: mark the request for it. What
   * it throws is answered as the application answers exceptions.
   */
  onLimited?: ((...args: [...Args<Request>, decision: AnyDecision]) => unknown) | undefined;
}

/** What the module says about all routes, and the limiters that decorators name. */
export interface RateLimitModuleOptions<
  Request extends HttpRequest = HttpRequest,
  Name extends string = string,
> extends RateLimitOptions<Request, Name> {
  /** Limiters and composites for decorators, which name them. */
  limiters?: readonly AnyLimiter[] | undefined;
}
