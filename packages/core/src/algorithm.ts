export type {
  Algorithm,
  Ask,
  Change,
  CompiledPolicy,
  Kernel,
  LuaKernel,
  Numbers,
  Report,
  Verdict,
} from "./algorithm-definition.js";
export { defineAlgorithm, type LimiterFactory } from "./define-algorithm.js";
export type { PolicyChecks } from "./policy-checks.js";
export {
  type AlgorithmScripts,
  type Script,
  type ScriptTemplates,
  scriptsOf,
  writeScripts,
} from "./script.js";
export { MAX_EXACT } from "./whole.js";
