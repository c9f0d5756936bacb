import type { Duration } from "@sluice/core";
import {
  type Algorithm,
  type Ask,
  type Change,
  type CompiledPolicy,
  type Correction,
  MAX_EXACT,
  type Numbers,
  type PolicyChecks,
  type Report,
  type Standing,
  type Verdict,
} from "@sluice/core/algorithm";

/** As little of a limit as keeps every promise: windows that follow one another from the epoch on. */
export interface PlainWindowOptions {
  limit: number;
  window: Duration;
}

type Params = readonly [limit: number, windowMs: number];
/** What is used in the window that holds the date of the last grant. */
type State = readonly [used: number, dated: number];

function standing(state: State): Standing<State> {
  return { state, facts: state };
}

function dateOf(facts: Numbers): number {
  return facts[1] ?? 0;
}

function startOf(atMs: number, windowMs: number): number {
  return atMs - (atMs % windowMs);
}

function level(state: State | undefined, nowMs: number, [, windowMs]: Params): State {
  if (state === undefined) return [0, nowMs];
  const [used, dated] = state;
  if (dated - nowMs > windowMs) return [used, nowMs];
  return startOf(nowMs, windowMs) > startOf(dated, windowMs) ? [0, nowMs] : state;
}

function decide(stored: State | undefined, nowMs: number, ask: Ask, params: Params): Verdict<State> {
  const state = level(stored, nowMs, params);
  const [used, dated] = state;
  const room = params[0] - used - ask.reserve;
  const taken = ask.cost <= room ? ask.cost : ask.least <= room ? room : -1;
  const redated = stored !== undefined && dated < stored[1];
  if (taken <= 0 || !ask.commit) return { taken, ...standing(state), redated };
  return { taken, ...standing([used + taken, Math.max(dated, nowMs)]), redated };
}

function adjust(
  stored: State | undefined,
  nowMs: number,
  { delta, granted }: Change,
  params: Params,
): Correction<State> {
  const [used, dated] = level(stored, nowMs, params);
  const over = granted !== undefined && startOf(dateOf(granted), params[1]) !== startOf(dated, params[1]);
  if (over) return standing([used, dated]);
  if (delta > MAX_EXACT - used) return { ...standing([used, dated]), refused: true };
  return standing([Math.max(0, used + delta), dated]);
}

function lifeMs([used, dated]: State, nowMs: number, [, windowMs]: Params): number {
  return used === 0 ? 0 : startOf(dated, windowMs) + windowMs - nowMs;
}

function report(facts: Numbers, nowMs: number, _taken: number, _ask: Ask, params: Params): Report {
  const state: State = [facts[0] ?? 0, dateOf(facts)];
  const endsInMs = startOf(state[1], params[1]) + params[1] - nowMs;
  return {
    remaining: Math.max(0, params[0] - state[0]),
    retryAfterMs: endsInMs,
    resetAfterMs: lifeMs(state, nowMs, params),
    delayMs: 0,
  };
}

const lua = {
  level: `
if not state then
  used, dated = 0, now
elseif dated - now > window then
  dated, redated = now, true
elseif now - now % window > dated - dated % window then
  used, dated = 0, now
end`,
  consume: `
local room = limit - used - reserve
if cost <= room then
  taken = cost
elseif least <= room then
  taken = room
end
if taken > 0 and mode == 1 then
  used, dated = used + taken, math.max(dated, now)
end
life = used > 0 and dated - dated % window + window - now or 0`,
  adjust: `
if grantedDated < 0 or grantedDated - grantedDated % window == dated - dated % window then
  if delta > 9007199254740991 - used then refused = true else used = math.max(0, used + delta) end
end
life = used > 0 and dated - dated % window + window - now or 0`,
};

export const algorithm: Algorithm<PlainWindowOptions, Params, State> = {
  id: "plain-window",
  tag: "plain",
  version: 1,
  options: ["limit", "window"],
  parameters: ["limit", "window"],
  state: ["used", "dated"],
  lua,
  compile({ limit, window }, checks: PolicyChecks): CompiledPolicy<Params> {
    const units = checks.whole("limit", limit, 0);
    const windowMs = checks.duration("window", window);
    return { limit: units, windowMs, data: {}, params: [units, windowMs] };
  },
  decide,
  adjust,
  lifeMs,
  report,
  regrant: (facts, delta) => [Math.max(0, Math.min((facts[0] ?? 0) + delta, MAX_EXACT)), dateOf(facts)],
};
