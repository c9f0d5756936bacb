export { wide } from "./amounts.ts";
export { Fraction, least, most } from "./fraction.ts";
export type { Model, ModelAnswer, ModelCall } from "./model.ts";
export { proveAlgorithm } from "./prove-algorithm.ts";
export { type LuaFolders, proveShippedScripts } from "./shipped-scripts.ts";
export type { Subject } from "./subject.ts";
