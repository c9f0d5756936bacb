import type { RateLimitOptions } from "./rate-limit-options.js";

/** All that is said about a route: the later says it nearer to the route, and what it leaves out is taken from the earlier. */
export function mergeOptions(all: readonly RateLimitOptions[]): RateLimitOptions {
  const merged: RateLimitOptions = {};
  for (const options of all) {
    // the type belongs to the body that it was said with
    if (options.body !== undefined) merged.contentType = undefined;
    Object.assign(merged, whatIsSaid(options));
  }
  return merged;
}

function whatIsSaid(options: RateLimitOptions): Partial<RateLimitOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
