import { type Algorithm, defineAlgorithm, type LimiterFactory, type Numbers } from "@sluice/core/algorithm";
import { type TallyOptions, type TallyParams, type TallyState, tallyAlgorithm } from "./tiny-algorithm.js";

/**
 * A tally whose state is no list of numbers, but a text, `"<used> since <start>"`, and lies in Redis as that. Its facts
 * differ from it as well: what is used, and when the window ends.
 */
export const writtenTallyAlgorithm: Algorithm<TallyOptions, TallyParams, string> = {
  ...tallyAlgorithm,
  id: "written-tally",
  tag: "wrt",
  state: ["used", "started"],
  facts: ["used", "ends"],
  lua: {
    level: `${tallyAlgorithm.lua.level}\nends = started + window`,
    consume: tallyAlgorithm.lua.consume,
    adjust: `local grantedStarted = grantedEnds < 0 and -1 or grantedEnds - window\n${tallyAlgorithm.lua.adjust}`,
    storage: {
      read: "local state = call('GET', key)",
      load: `
        local used, started, ends
        if state then
          used, started = string.match(state, '^(%d+) since (%d+)')
          used, started = tonumber(used), tonumber(started)
        end`,
      write: `
        call('SET', key, string.format('%.0f since %.0f', used, started), 'PX', math.ceil(1.5 * life) + 1000)
        local fresh = struct.pack('<$factsFormat', $facts)`,
    },
  },

  decide(stored, nowMs, ask, params) {
    const { taken, state, redated } = tallyAlgorithm.decide(readText(stored), nowMs, ask, params);
    return { taken, state: written(state), facts: factsOf(state, params), redated };
  },

  adjust(stored, nowMs, { delta, granted }, params) {
    const change = { delta, granted: granted && stateOf(granted, params) };
    const { state } = tallyAlgorithm.adjust(readText(stored), nowMs, change, params);
    return { state: written(state), facts: factsOf(state, params) };
  },

  lifeMs(stored, nowMs, params) {
    return tallyAlgorithm.lifeMs(readText(stored) ?? [0, nowMs], nowMs, params);
  },

  report(facts, nowMs, taken, ask, params) {
    return tallyAlgorithm.report(stateOf(facts, params), nowMs, taken, ask, params);
  },
};

function written([used, startedMs]: TallyState): string {
  return `${used} since ${startedMs}`;
}

function readText(stored: string | undefined): TallyState | undefined {
  const [used, startedMs] = stored?.split(" since ").map(Number) ?? [];
  return used === undefined || startedMs === undefined ? undefined : [used, startedMs];
}

function factsOf([used, startedMs]: TallyState, [, windowMs]: TallyParams): Numbers {
  return [used, startedMs + windowMs];
}

function stateOf([used = 0, endsMs = 0]: Numbers, [, windowMs]: TallyParams): TallyState {
  return [used, endsMs - windowMs];
}

/** As a tally, but for the way it is kept. */
export const writtenTally: LimiterFactory<TallyOptions> = defineAlgorithm(writtenTallyAlgorithm);
