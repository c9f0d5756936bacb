export { type FaultProxy, startProxy } from "./fault-proxy.ts";
export type { Faults, Flow } from "./faults.ts";
