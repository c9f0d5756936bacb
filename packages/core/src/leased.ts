import { InvalidPolicyError } from "./errors.js";
import { type LeaseOptions, readLeaseOptions } from "./lease-options.js";
import { type Leasable, LeasedLimiter } from "./leased-limiter.js";
import { membersOf } from "./members.js";
import { shown } from "./whole.js";

/**
 * A limiter that takes units from its store in portions and grants from them in this process, without a round trip. What
 * is held is charged already:
 *
 * - fixed window and sliding counter: never more is granted than the limit counts, since a portion is not used beyond the
 *   window that it was charged in;
 * - token bucket and leaky bucket as a meter: in any interval no more is granted than rate × time + capacity + what was
 *   held when it began, and nothing is held for longer than `maxHoldMs`.
 *
 * Units that are not used go back after half of `maxHoldMs` without a call for their key, at `maxHoldMs`, and on `close()`.
 * Those of a process that crashes are lost until their window ends, or the bucket has refilled. Without a `size` the
 * portions of a key follow its demand, and shrink as its limit nears.
 *
 * @example
 * ```ts
 * import { leased } from "@sluice/core";
 * import { fixedWindow } from "@sluice/fixed-window";
 *
 * const shared = fixedWindow({ name: "ingest", limit: 1_000_000, window: "1m" });
 * const limiter = leased(shared, { size: 500 });
 *
 * await limiter.consume("tenant:7"); // takes 500 from the store
 * const decision = await limiter.consume("tenant:7");
 * console.log(decision.source, decision.remaining); // lease 999998
 * await limiter.close(); // gives 498 back
 * ```
 * @throws InvalidPolicyError for options that cannot be, and for what cannot be leased from: a sliding log, a leaky bucket
 * as a queue, a limiter that blocks keys by itself (`blockFor`), a composite
 */
export function leased<Name extends string>(
  limiter: Leasable<Name>,
  options: LeaseOptions = {},
): LeasedLimiter<Name> {
  const members = membersOf(limiter);
  if (members === undefined) throw refusal(`a limiter was expected, got ${shown(limiter)}`);
  const [member] = members;
  if (member === undefined || members.length > 1) {
    throw refusal("a composite cannot be leased from: lease from its limits, or compose others");
  }
  const { limit } = member;
  if (member.isLeased) throw refusal(`limiter ${shown(limit.name)} is leased already`);
  const { lease, id, queues } = limit.kernel;
  if (lease === undefined) {
    const instead = queues
      ? "leakyBucketMeter, or acquire without a lease, since each caller has a slot of his own"
      : "slidingWindowCounter or fixedWindow, since it counts each grant at its own time";
    throw refusal(`${id} (limiter ${shown(limit.name)}) cannot be leased from; use ${instead}`);
  }
  if ((limit.blockForMs ?? 0) > 0) {
    throw refusal(
      `limiter ${shown(limit.name)} has blockFor, and would block keys while others hold their units; use blockFor: "by-hand", or no lease`,
    );
  }
  const terms = { ...readLeaseOptions(limit, options), kernel: limit.kernel, rules: lease };
  return new LeasedLimiter(limiter, member, terms);
}

function refusal(problem: string): InvalidPolicyError {
  return new InvalidPolicyError(`leased: ${problem}`);
}
