import adjustLua from "../lua/level/adjust.lua";
import adjustLastLua from "../lua/level/adjust-last.lua";
import consumeLua from "../lua/level/consume.lua";
import grantedLua from "../lua/level/granted.lua";
import levelLua from "../lua/level/level.lua";
import policyLua from "../lua/level/policy.lua";
import rescaleLua from "../lua/level/rescale.lua";
import type { Ask, Kernel, Numbers, Report } from "./algorithm-definition.js";
import {
  adjustLastSlot,
  adjustLevel,
  decideLevel,
  type LevelParams,
  type LevelState,
  levelBounds,
  levelLifeMs,
  levelWithout,
  regrantLevel,
  reportLevel,
} from "./level.js";

/** The names under which a kernel is known, and whether it shapes: whether its callers wait for slots. */
export interface LevelKernelOptions {
  readonly id: string;
  readonly tag: string;
  readonly version: number;
  /** What its rate is called. */
  readonly rateName: "refill" | "leak";
  readonly queue?: boolean | undefined;
}

/**
 * The kernel of a level that calls raise and time lowers: the token bucket, which counts what is used, the leaky
 * bucket as a meter, which is the same, and the leaky bucket as a queue, where the level is the wait.
 */
export function levelKernel({
  queue = false,
  rateName,
  ...names
}: LevelKernelOptions): Kernel<LevelParams, LevelState> {
  return {
    ...names,
    queues: queue,
    foresees: true,
    // whoever waits in a queue has a slot of his own
    lease: queue ? undefined : { holdableMs: () => Number.POSITIVE_INFINITY, without: levelWithout },
    parameters: ["capacity", "rate", "scale"],
    state: ["used", "dated", "measure"],
    dated: 1,
    lua: {
      level: levelLua,
      consume: consumeLua,
      adjust: [grantedLua, ...(queue ? [adjustLastLua] : []), adjustLua].join("\n"),
      blocks: { rescale: rescaleLua, rate: rateName, beyond: String(queue ? 1 : 0) },
    },
    perKey: {
      fields: [
        { name: "capacity", is: "number" },
        { name: `${rateName}.tokens`, is: "number" },
        { name: `${rateName}.everyMs`, is: "number" },
      ],
      lua: policyLua,
      most: "capacity / scale",
      bounds: levelBounds,
    },
    decide: decideLevel,
    adjust: queue ? adjustLastSlot : adjustLevel,
    lifeMs: levelLifeMs,
    report: queue ? reportLevel : reportWithoutDelay,
    regrant: regrantLevel,
  };
}

function reportWithoutDelay(
  facts: Numbers,
  nowMs: number,
  taken: number,
  ask: Ask,
  params: LevelParams,
): Report {
  const { remaining, retryAfterMs, resetAfterMs } = reportLevel(facts, nowMs, taken, ask, params);
  return { remaining, retryAfterMs, resetAfterMs, delayMs: 0 };
}
