import type { ExecutionContext, Type } from "@nestjs/common";
import { InvalidPolicyError } from "@sluice/core";
import { type CompositeGateOptions, createGate, type Gate, type GateOptions } from "@sluice/http";
import { limitersByName, named } from "./limiters-by-name.js";
import { mergeOptions } from "./merge-options.js";
import { type Handler, isSkipped, limitsSaidOf } from "./metadata.js";
import type { AnyLimiter, Args, RateLimitModuleOptions, RateLimitOptions } from "./rate-limit-options.js";

/** What limits a route. */
export interface RouteLimit {
  readonly gate: Gate<Args>;
  readonly onLimited: RateLimitOptions["onLimited"];
  /** The calls of the handler that it has counted: each once, also where its guard stands twice before them. */
  readonly counted: WeakSet<ExecutionContext>;
}

/** What limits the routes of an application, each made once. */
export class RouteLimits {
  readonly #options: RateLimitOptions;
  readonly #limiters: ReadonlyMap<string, AnyLimiter>;
  // by class as well, since a class inherits handlers and limits them by a decorator of its own
  readonly #made = new WeakMap<Type, WeakMap<Handler, RouteLimit | undefined>>();

  /** @throws InvalidPolicyError for wrong options of the module */
  constructor(options: RateLimitModuleOptions) {
    if (!isOptions(options)) {
      throw new InvalidPolicyError(`RateLimitModule: options must be an object, got ${String(options)}`);
    }
    const { limiters: _, ...own } = options;
    this.#limiters = limitersByName(options);
    this.#options = own;
    checkIncomplete(this.#resolved([own]));
  }

  /**
   * What limits a route; undefined where nothing does.
   *
   * @throws InvalidPolicyError for wrong options, or without a limiter or a key
   */
  of(controller: Type, handler: Handler): RouteLimit | undefined {
    let own = this.#made.get(controller);
    if (own === undefined) {
      own = new WeakMap();
      this.#made.set(controller, own);
    }
    if (!own.has(handler)) own.set(handler, this.#make(controller, handler));
    return own.get(handler);
  }

  #make(controller: Type, handler: Handler): RouteLimit | undefined {
    if (isSkipped(controller, handler)) return undefined;
    const decorators = limitsSaidOf(controller, handler);
    if (decorators.length === 0 && this.#options.limiter === undefined) return undefined;
    try {
      const options = this.#resolved([this.#options, ...decorators]);
      if (isComplete(options)) {
        return { gate: createGate(options), onLimited: options.onLimited, counted: new WeakSet() };
      }
      checkIncomplete(options);
      const missing = options.limiter === undefined ? "limiter" : "key";
      throw new InvalidPolicyError(`neither a decorator nor the module says the option ${missing}`);
    } catch (error) {
      const { message } = error instanceof Error ? error : { message: String(error) };
      throw new InvalidPolicyError(`${controller.name}.${handler.name}: ${message}`, { cause: error });
    }
  }

  #resolved(all: readonly RateLimitOptions[]): ResolvedOptions {
    const merged = mergeOptions(all);
    return { ...merged, limiter: named(this.#limiters, merged.limiter) };
  }
}

type ResolvedOptions = RateLimitOptions & { limiter: AnyLimiter | undefined };
type CompleteOptions = (GateOptions<Args> | CompositeGateOptions<string, Args>) & RateLimitOptions;

/** Whether all is said that must be. That a key is of the kind that the limiter takes is checked by the limiter, on each call. */
function isComplete(options: ResolvedOptions): options is ResolvedOptions & CompleteOptions {
  return options.limiter !== undefined && options.key !== undefined;
}

/** Checks options that others will complete. @throws InvalidPolicyError */
function checkIncomplete({
  limiter = missing("limiter"),
  key = missing("key"),
  ...said
}: ResolvedOptions): void {
  const options = { ...said, limiter, key };
  if (isComplete(options)) createGate(options);
}

// functions, since what is said already need not fit any limiter or key of ours
function missing(option: string): () => never {
  return () => {
    throw new InvalidPolicyError(`rateLimit: the option ${option} is missing`);
  };
}

function isOptions(options: unknown): boolean {
  return typeof options === "object" && options !== null && !Array.isArray(options);
}
