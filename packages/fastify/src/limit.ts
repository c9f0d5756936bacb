import { InvalidPolicyError } from "@sluice/core";
import { createGate, type Gate } from "@sluice/http";
import type {
  Args,
  CompositeRateLimitOptions,
  PartialRateLimitOptions,
  RateLimitOptions,
  Stage,
} from "./rate-limit-options.js";

/** One limit of Fastify requests, made of checked options. */
export interface Limit {
  readonly stage: Stage;
  readonly gate: Gate<Args>;
  readonly onLimited: RateLimitOptions["onLimited"];
}

/** Options of a registration with those of a route over them, which only together have to make sense. */
export type MergedOptions = Omit<PartialRateLimitOptions, "limiter" | "key" | "cost" | "reserve"> & {
  [Option in "limiter" | "key" | "cost" | "reserve"]?:
    | RateLimitOptions[Option]
    | CompositeRateLimitOptions<string>[Option]
    | undefined;
};

const STAGES: readonly Stage[] = ["onRequest", "preParsing", "preValidation", "preHandler"];

/** @throws InvalidPolicyError for wrong, unknown and missing options */
export function createLimit({ hook = "onRequest", ...options }: MergedOptions): Limit {
  if (!STAGES.includes(hook)) {
    throw new InvalidPolicyError(`rateLimit: hook must be one of ${STAGES.join(", ")}, got ${String(hook)}`);
  }
  if (!isComplete(options)) {
    const missing = options.limiter === undefined ? "limiter" : "key";
    throw new InvalidPolicyError(`rateLimit: the option ${missing} is missing`);
  }
  return { stage: hook, gate: createGate(options), onLimited: options.onLimited };
}

/** Whether the gate can check the rest. Keys that do not fit their limiter are refused by that one. */
function isComplete(options: MergedOptions): options is RateLimitOptions | CompositeRateLimitOptions<string> {
  return options.limiter !== undefined && options.key !== undefined;
}

const NO_LIMITER: RateLimitOptions["limiter"] = {
  name: "none",
  consume: () => Promise.reject(new InvalidPolicyError("rateLimit: the option limiter is missing")),
  refund: () => Promise.resolve(),
};

/** Checks options that others will complete. @throws InvalidPolicyError */
export function checkIncomplete(options: MergedOptions): void {
  createLimit({ key: "none", ...options, limiter: NO_LIMITER });
}
