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

/** A limiter or a composite, or a function of the request that returns one. */
export type AnyLimiter<Name extends string = string, Request extends HttpRequest = HttpRequest> =
  | GateOptions<Args<Request>>["limiter"]
  | CompositeGateOptions<Name, Args<Request>>["limiter"];

/** A limiter or a composite, which has a name. */
export type NamedLimiter = Extract<AnyLimiter, { readonly name: string; readonly consume: unknown }>;

/**
 * What a decorator says about its routes. What it leaves out is taken from the decorator of the class and then from the
 * module.
 *
 * `Request` is the type of request that the functions take, by default what both platforms have.
 */
export interface RateLimitOptions<Request extends HttpRequest = HttpRequest, Name extends string = string>
  extends CommonGateOptions<Args<Request>>,
    Partial<ToldOptions<Key | ByName<Name, Key>, number | ByName<Name, number>, Args<Request>>> {
  /** A limiter, a composite, the name of one that the module was given, or a function that returns a limiter or composite. */
  limiter?: string | AnyLimiter<Name, Request> | undefined;
  /**
   * Sees a request that is denied. Where it returns nothing the handler runs after all, with less, say: mark the request for
   * it. What it throws is answered as the application answers exceptions. Where it sends the response itself the handler does
   * not run.
   */
  onLimited?: ((...args: [...Args<Request>, decision: AnyDecision]) => unknown) | undefined;
}

/** What the module says about all routes, and the limiters that decorators name. */
export interface RateLimitModuleOptions<
  Request extends HttpRequest = HttpRequest,
  Name extends string = string,
> extends RateLimitOptions<Request, Name> {
  /** Limiters and composites for decorators, which name them. */
  limiters?: readonly NamedLimiter[] | undefined;
}
