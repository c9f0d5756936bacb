import type { Case, Measure } from "./case.ts";
import { algorithmCases, longLog } from "./cases/algorithms.ts";
import { composeCases } from "./cases/compose.ts";
import { bareEvalsha } from "./cases/evalsha.ts";
import { optionCases } from "./cases/options.ts";
import { rateLimitRedis } from "./cases/rate-limit-redis.ts";
import { rateLimiterFlexible } from "./cases/rate-limiter-flexible.ts";
import { tokenBucketCases } from "./cases/token-bucket.ts";
import { upstashRatelimitCases } from "./cases/upstash-ratelimit.ts";

/** What everything is compared with. */
export const BASELINE: Case = bareEvalsha;

const ALL: readonly Case[] = [
  BASELINE,
  ...tokenBucketCases,
  ...algorithmCases,
  longLog,
  ...composeCases,
  ...optionCases,
  rateLimiterFlexible,
  rateLimitRedis,
  ...upstashRatelimitCases,
];

/** The cases of which something is measured, in the order in which they are reported. */
export function casesFor(measure: Measure): readonly Case[] {
  return ALL.filter(({ measures }) => measures.includes(measure));
}
