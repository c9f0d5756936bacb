import { type CompositeLimiter, compose } from "./compose.js";
import { InvalidPolicyError } from "./errors.js";
import type { Limiter } from "./limiter.js";
import { membersOf } from "./members.js";
import { shown } from "./whole.js";

/**
 * A limiter for one process of several, to stand in when the store that they share fails: its limits are a share of the
 * given limiter's, so that a fleet of four with a share of a quarter each allows no more than the limit together. It
 * counts in this process: in the limiter's own store where that is a memory store, otherwise in the default one.
 *
 * A limit or a capacity is multiplied and rounded down, but never below 1 (a limit of 0 stays 0); a rate gets slower. So a
 * fleet larger than its limit may allow more: one each.
 *
 * @param share above 0, at most 1
 * @example
 * ```ts
 * import { fallbackShare } from "@sluice/core";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const alone = tokenBucket({ name: "api", capacity: 20, refill: { tokens: 5, every: "1s" } });
 * const local = fallbackShare(alone, 1 / 4);
 * console.log(local.policy.limit, local.policy.refill); // 5 { tokens: 5, everyMs: 4000 }
 * ```
 * @throws InvalidPolicyError for any other share, for limits that only their keys know, and for an algorithm whose options
 * are neither a `limit` nor a `capacity`
 */
export function fallbackShare<Name extends string, Own extends object>(
  limiter: Limiter<Name, Own>,
  share: number,
): Limiter<Name, Own>;
export function fallbackShare<Name extends string>(
  limiter: CompositeLimiter<Name>,
  share: number,
): CompositeLimiter<Name>;
export function fallbackShare(
  limiter: Limiter | CompositeLimiter,
  share: number,
): Limiter | CompositeLimiter {
  const members = membersOf(limiter);
  if (members === undefined) throw refusal(`a limiter was expected, got ${shown(limiter)}`);
  if (typeof share !== "number" || !(share > 0 && share <= 1)) {
    throw refusal(`the share must be above 0 and at most 1, got ${shown(share)}`);
  }
  const shares = members.map((member) => member.share(share));
  const [first] = shares;
  const isOne = !("policies" in limiter);
  if (first === undefined) throw refusal("a limiter with limits was expected");
  return isOne ? first : compose(shares, { name: limiter.name });
}

function refusal(problem: string): InvalidPolicyError {
  return new InvalidPolicyError(`fallbackShare: ${problem}`);
}
