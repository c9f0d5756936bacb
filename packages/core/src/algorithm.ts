export type {
  Algorithm,
  Ask,
  Change,
  CompiledPolicy,
  Correction,
  Kernel,
  KeyPolicies,
  LeaseRules,
  LuaKernel,
  LuaStorage,
  Numbers,
  PolicyField,
  Report,
  Standing,
  Verdict,
} from "./algorithm-definition.js";
export { defineAlgorithm, type LimiterFactory, type LimiterWith } from "./define-algorithm.js";
export type { Duration } from "./duration.js";
export type { LevelParams, LevelState } from "./level.js";
export { type LevelKernelOptions, levelKernel } from "./level-kernel.js";
export { compileLevel, type LevelOptions, type Rate } from "./level-policy.js";
export type { Grants, KeyedLimits } from "./limiter.js";
export type { PolicyChecks } from "./policy-checks.js";
export {
  type AlgorithmScripts,
  type Script,
  type ScriptedKernel,
  type ScriptTemplates,
  scriptsOf,
  writeScripts,
} from "./script.js";
export { MAX_EXACT } from "./whole.js";
