import type { AnyDecision, CompositeGateOptions, GateOptions } from "@sluice/http";
import type { FastifyReply, FastifyRequest } from "fastify";

/** What functions among the options are given. */
export type Args = [request: FastifyRequest, reply: FastifyReply];

/** Where in the life of a request a limit decides. */
export type Stage = "onRequest" | "preParsing" | "preValidation" | "preHandler";

interface OwnOptions {
  /**
   * Answers a request that is denied in place of the refusal: sends a reply, or returns what is to be sent, with 429 unless it
   * sets another status. Where it does neither, the handler runs: with less, say. It is waited for, and what it throws takes
   * Fastify's way of errors.
   */
  onLimited?: ((...args: [...Args, decision: AnyDecision]) => unknown) | undefined;
  /** The hook in which the limit decides; default `"onRequest"`. The body is there from `"preValidation"` on. */
  hook?: Stage | undefined;
}

/** Options for one limit. */
export interface RateLimitOptions extends GateOptions<Args>, OwnOptions {}

/** Options for several limits: key, cost and reserve are one for all of them, or one for each by name. */
export interface CompositeRateLimitOptions<Name extends string>
  extends CompositeGateOptions<Name, Args>,
    OwnOptions {}

/** Some of the options, over those of the registration. What is said to be undefined has its default. */
export type PartialRateLimitOptions = Partial<RateLimitOptions> | Partial<CompositeRateLimitOptions<string>>;

/** Likewise, for what is a hook already. */
export type HookRateLimitOptions =
  | Partial<Omit<RateLimitOptions, "hook">>
  | Partial<Omit<CompositeRateLimitOptions<string>, "hook">>;
