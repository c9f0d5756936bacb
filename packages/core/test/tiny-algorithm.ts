import {
  type Algorithm,
  type Ask,
  type Change,
  defineAlgorithm,
  type LimiterFactory,
  MAX_EXACT,
  type Numbers,
  type Report,
  type Standing,
  type Verdict,
} from "@sluice/core/algorithm";

/** Options of a {@link tally}. */
export interface TallyOptions {
  limit: number;
  window: number | string;
}

export type TallyParams = readonly [limit: number, windowMs: number];
export type TallyState = readonly [used: number, startedMs: number];

/**
 * The smallest algorithm that shows everything: a counter whose window begins with the first grant. It is made as
 * anybody would make one, with `@sluice/core/algorithm` alone. Its facts are its state.
 */
export const tallyAlgorithm: Algorithm<TallyOptions, TallyParams, TallyState> = {
  id: "tally",
  tag: "tly",
  version: 1,
  foresees: true,
  lease: { holdableMs: ({ resetAfterMs }) => resetAfterMs, without: (facts) => facts },
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

  decide(stored, nowMs, { commit, cost, least, reserve }, params): Verdict<TallyState> {
    const state = currentWindow(stored, nowMs, params);
    const [used, startedMs] = state;
    const redated = stored !== undefined && startedMs < stored[1];
    const room = params[0] - used - reserve;
    const taken = cost <= room ? cost : least <= room ? room : -1;
    return { taken, ...standing(commit && taken > 0 ? [used + taken, startedMs] : state), redated };
  },

  adjust(stored, nowMs, { delta, granted }: Change, params): Standing<TallyState> {
    const [used, startedMs] = currentWindow(stored, nowMs, params);
    const applies = granted === undefined || read(granted)[1] === startedMs;
    return standing([applies ? corrected(used, delta) : used, startedMs]);
  },

  lifeMs([used, startedMs], nowMs, [, windowMs]) {
    return used > 0 ? startedMs + windowMs - nowMs : 0;
  },

  report(facts, nowMs, _taken: number, _ask: Ask, [limit, windowMs]): Report {
    const [used, startedMs] = read(facts);
    const leftMs = startedMs + windowMs - nowMs;
    return {
      remaining: Math.max(0, limit - used),
      retryAfterMs: leftMs,
      resetAfterMs: used > 0 ? leftMs : 0,
      delayMs: 0,
    };
  },

  regrant(granted, delta) {
    const [used, startedMs] = read(granted);
    return [corrected(used, delta), startedMs];
  },
};

function standing(state: TallyState): Standing<TallyState> {
  return { state, facts: state };
}

function read([used = 0, startedMs = 0]: Numbers): TallyState {
  return [used, startedMs];
}

function corrected(used: number, delta: number): number {
  return Math.max(0, Math.min(used + delta, MAX_EXACT));
}

function currentWindow(stored: TallyState | undefined, nowMs: number, [, windowMs]: TallyParams): TallyState {
  if (stored === undefined || nowMs - stored[1] >= windowMs) return [0, nowMs];
  // dated too far ahead: what is used stays used, in a window that begins now
  return stored[1] - nowMs > windowMs ? [stored[0], nowMs] : stored;
}

/** At most `limit` units in each `window`, which begins with a key's first grant. */
export const tally: LimiterFactory<TallyOptions> = defineAlgorithm(tallyAlgorithm);
