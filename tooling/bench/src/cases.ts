import type { Case, ClientName, Measure } from "./case.ts";
import { algorithmCases, longLog } from "./cases/algorithms.ts";
import { composeCases } from "./cases/compose.ts";
import { bareEvalsha } from "./cases/evalsha.ts";
import { bareIncr } from "./cases/incr.ts";
import { leasedBucket } from "./cases/leased.ts";
import { optionCases } from "./cases/options.ts";
import { rateLimitRedis } from "./cases/rate-limit-redis.ts";
import { rateLimiterFlexible } from "./cases/rate-limiter-flexible.ts";
import { tokenBucketCases } from "./cases/token-bucket.ts";
import { upstashRatelimitCases } from "./cases/upstash-ratelimit.ts";

/** What everything on the same client is compared with: the least that any script costs, and the best-known peer. */
export const BASELINES: Readonly<Record<ClientName, Case>> = bareEvalsha;
export const PEERS: Readonly<Record<ClientName, Case>> = rateLimiterFlexible;

const ALL: readonly Case[] = [
  ...Object.values(BASELINES),
  ...bareIncr,
  ...tokenBucketCases,
  ...algorithmCases,
  longLog,
  ...composeCases,
  ...optionCases,
  leasedBucket,
  ...Object.values(PEERS),
  rateLimitRedis,
  ...upstashRatelimitCases,
];

/** The cases of which something is measured, in the order in which they are reported. */
export function casesFor(measure: Measure): readonly Case[] {
  return ALL.filter(({ measures }) => measures.includes(measure));
}
