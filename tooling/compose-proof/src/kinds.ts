import type { Limiter, Store } from "@sluice/core";
import type { LimiterFactory } from "@sluice/core/algorithm";
import { fixedWindow } from "@sluice/fixed-window";
import { leakyBucket, leakyBucketMeter } from "@sluice/leaky-bucket";
import { slidingWindowCounter, slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";

/** A policy in terms that every algorithm can keep: `limit` units every `windowMs`, at a pace of `tokens`. */
export interface Shape {
  readonly limit: number;
  readonly windowMs: number;
  /** How many come back every `windowMs` where they do so one by one. */
  readonly tokens: number;
}

/** What all limits of a composition have. */
export interface Common {
  readonly name: string;
  readonly store: Store;
  readonly blockFor: number | undefined;
  /** Whether keys may have policies of their own. */
  readonly perKey: boolean;
}

/** A limiter, and what it becomes under another policy. */
export interface Made {
  readonly limiter: Limiter;
  under(shape: Shape): Limiter;
  /** Gives a key a policy of its own, or takes it away. */
  setOwn(key: string, shape: Shape | undefined): Promise<void>;
}

/** One algorithm, made by shape. */
export interface Kind {
  /** Whether it holds work: a composition takes at most one of these. */
  readonly queues: boolean;
  make(common: Common, shape: Shape): Made;
}

function kind<Own extends object>(
  create: LimiterFactory<Own>,
  ownOf: (shape: Shape) => Own,
  queues = false,
): Kind {
  return {
    queues,
    make({ perKey, ...common }, shape) {
      if (!perKey) {
        const limiter = create({ ...common, ...ownOf(shape) });
        return { limiter, under: (other) => limiter.with(ownOf(other)), setOwn: async () => {} };
      }
      const limiter = create({ ...common, ...ownOf(shape), perKey: true as const });
      return {
        limiter,
        under: (other) => limiter.with(ownOf(other)),
        setOwn: (key, other) =>
          other === undefined ? limiter.clearLimit(key) : limiter.setLimit(key, ownOf(other)),
      };
    },
  };
}

/** Every algorithm, the fixed window with either anchor. */
export const KINDS = {
  "token bucket": kind(tokenBucket, ({ limit, tokens, windowMs }) => ({
    capacity: limit,
    refill: { tokens, every: windowMs },
  })),
  "fixed window by the clock": kind(fixedWindow, ({ limit, windowMs }) => ({ limit, window: windowMs })),
  "fixed window from the first": kind(fixedWindow, ({ limit, windowMs }) => ({
    limit,
    window: windowMs,
    anchor: "first" as const,
  })),
  "sliding log": kind(slidingWindowLog, ({ limit, windowMs }) => ({ limit, window: windowMs })),
  "sliding counter": kind(slidingWindowCounter, ({ limit, windowMs }) => ({ limit, window: windowMs })),
  meter: kind(leakyBucketMeter, ({ limit, tokens, windowMs }) => ({
    capacity: limit,
    leak: { tokens, every: windowMs },
  })),
  queue: kind(
    leakyBucket,
    ({ limit, tokens, windowMs }) => ({
      capacity: Math.max(0, limit - 1),
      leak: { tokens, every: windowMs },
    }),
    true,
  ),
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

export const KIND_NAMES: readonly KindName[] = Object.keys(KINDS).filter(isKindName);

function isKindName(name: string): name is KindName {
  return name in KINDS;
}
