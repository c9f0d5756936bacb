import type { IncomingMessage, ServerResponse } from "node:http";
import type { AnyDecision } from "./any-decision.js";
import { createGate } from "./gate.js";
import { conclude } from "./node-response.js";
import type { CompositeGateOptions, GateOptions } from "./rate-limit-options.js";

type ListenerArgs = [request: IncomingMessage, response: ServerResponse];

interface OnLimited {
  /** Answers in place of the refusal, with less, say. */
  onLimited?: ((...args: [...ListenerArgs, decision: AnyDecision]) => unknown) | undefined;
}

/** Options for one limit. */
export interface RateLimitOptions extends GateOptions<ListenerArgs>, OnLimited {}

/** Options for several limits: key, cost and reserve are one for all of them, or one for each by name. */
export interface CompositeRateLimitOptions<Name extends string>
  extends CompositeGateOptions<Name, ListenerArgs>,
    OnLimited {}

/** Limits a listener of Node's server: takes one, and returns one. */
export type LimitListener = (
  listener: (...args: ListenerArgs) => unknown,
) => (...args: ListenerArgs) => Promise<void>;

/**
 * Limits the listeners of Node's own server. What it makes resolves when the listener has, and rejects with what it, the
 * options and the limiter throw: Node itself answers no error, so whoever calls it has to.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { addressKey, clientAddress } from "@sluice/http";
 * import { rateLimit } from "@sluice/http/node";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const limiter = tokenBucket({ name: "api", capacity: 10, refill: { tokens: 10, every: "1m" } });
 * const limited = rateLimit({ limiter, key: (request) => ["ip", addressKey(clientAddress(request))] });
 * const listener = limited((_request, response) => response.end("hello"));
 *
 * const server = createServer((request, response) => {
 *   listener(request, response).catch(() => (response.headersSent ? response.destroy() : response.writeHead(500).end()));
 * });
 * server.close();
 * ```
 * @throws InvalidPolicyError for wrong options
 */
export function rateLimit<Name extends string>(
  options: RateLimitOptions | CompositeRateLimitOptions<Name>,
): LimitListener;
// said once more for one limit alone, since the compiler explains the last overload
export function rateLimit(options: RateLimitOptions): LimitListener;
export function rateLimit<Name extends string>(
  options: RateLimitOptions | CompositeRateLimitOptions<Name>,
): LimitListener {
  const gate = createGate(options);
  const { onLimited } = options;
  return (listener) => async (request, response) => {
    const verdict = await gate(request.method ?? "", request, response);
    const degrade = onLimited && ((decision: AnyDecision) => onLimited(request, response, decision));
    if (await conclude(response, verdict, degrade)) await listener(request, response);
  };
}
