import type { AnyDecision, CompositeGateOptions, GateOptions } from "@sluice/http";
import type { NextFunction, Request, Response } from "express";

type Args = [request: Request, response: Response];

interface OnLimited {
  /** Answers in place of the refusal, or goes on with less by `next()`. What it throws goes to `next` as well. */
  onLimited?: ((...args: [...Args, next: NextFunction, decision: AnyDecision]) => unknown) | undefined;
}

/** Options for one limit. */
export interface RateLimitOptions extends GateOptions<Args>, OnLimited {}

/** Options for several limits: key, cost and reserve are one for all of them, or one for each by name. */
export interface CompositeRateLimitOptions<Name extends string>
  extends CompositeGateOptions<Name, Args>,
    OnLimited {}
