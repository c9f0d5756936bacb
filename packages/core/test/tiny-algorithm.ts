import {
  type Algorithm,
  type Ask,
  type Change,
  defineAlgorithm,
  type LimiterFactory,
  MAX_EXACT,
  type Report,
  type Verdict,
} from "@sluice/core/algorithm";

/** Options of a {@link tally}. */
export interface TallyOptions {
  limit: number;
  window: number | string;
}

type Params = readonly [limit: number, windowMs: number];
type State = readonly [used: number, startedMs: number];

/**
 * The smallest algorithm that shows everything: a counter whose window begins with the first grant. It is made as
 * anybody would make one, with `@sluice/core/algorithm` alone.
 */
export const tallyAlgorithm: Algorithm<TallyOptions, Params, State> = {
  id: "tally",
  version: 1,
  options: ["limit", "window"],
  parameters: ["limit", "window"],
  state: ["used", "started"],
  lua: {
    level: `
      if not state or now - started >= window then
        used, started = 0, now
      elseif started - now > window then
        started, redated = now, true
      end`,
    consume: `
      local room = limit - used - reserve
      if cost <= room then
        taken = cost
      elseif least <= room then
        taken = room
      end
      if taken > 0 and mode == 1 then used = used + taken end
      life = used > 0 and started + window - now or 0`,
    adjust: `
      if grantedStarted < 0 or grantedStarted == started then
        used = math.max(0, math.min(used + delta, ${MAX_EXACT}))
      end
      life = used > 0 and started + window - now or 0`,
  },

  compile({ limit, window }, checks) {
    const checkedLimit = checks.whole("limit", limit, 0);
    const windowMs = checks.duration("window", window);
    return {
      limit: checkedLimit,
      windowMs,
      data: { limit: checkedLimit, windowMs },
      params: [checkedLimit, windowMs],
    };
  },

  decide(stored, nowMs, { commit, cost, least, reserve }, params): Verdict<State> {
    const state = currentWindow(stored, nowMs, params);
    const [used, startedMs] = state;
    const redated = stored !== undefined && startedMs < stored[1];
    const room = params[0] - used - reserve;
    const taken = cost <= room ? cost : least <= room ? room : -1;
    return { taken, state: commit && taken > 0 ? [used + taken, startedMs] : state, redated };
  },

  adjust(stored, nowMs, { delta, granted }: Change<State>, params): State {
    const [used, startedMs] = currentWindow(stored, nowMs, params);
    const applies = granted === undefined || granted[1] === startedMs;
    return [applies ? Math.max(0, Math.min(used + delta, MAX_EXACT)) : used, startedMs];
  },

  lifeMs([used, startedMs], nowMs, [, windowMs]) {
    return used > 0 ? startedMs + windowMs - nowMs : 0;
  },

  report([used, startedMs], nowMs, _ask: Ask, [limit, windowMs]): Report {
    const leftMs = startedMs + windowMs - nowMs;
    return {
      remaining: Math.max(0, limit - used),
      retryAfterMs: leftMs,
      resetAfterMs: used > 0 ? leftMs : 0,
      delayMs: 0,
    };
  },

  regrant([used, startedMs], delta) {
    return [Math.max(0, Math.min(used + delta, MAX_EXACT)), startedMs];
  },
};

function currentWindow(stored: State | undefined, nowMs: number, [, windowMs]: Params): State {
  if (stored === undefined || nowMs - stored[1] >= windowMs) return [0, nowMs];
  // dated too far ahead: what is used stays used, in a window that begins now
  return stored[1] - nowMs > windowMs ? [stored[0], nowMs] : stored;
}

/** At most `limit` units in each `window`, which begins with a key's first grant. */
export const tally: LimiterFactory<TallyOptions> = defineAlgorithm(tallyAlgorithm);
