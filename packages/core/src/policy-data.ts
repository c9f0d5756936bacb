import type { CompiledPolicy } from "./algorithm-definition.js";
import type { Policy } from "./limiter.js";

/** A policy as data, of which no part can be changed. */
export function policyData(algorithm: string, { limit, windowMs, data }: CompiledPolicy): Policy {
  return frozen({ algorithm, limit, windowMs, ...data });
}

function frozen<Data extends object>(data: Data): Readonly<Data> {
  for (const value of Object.values(data)) if (typeof value === "object" && value !== null) frozen(value);
  return Object.freeze(data);
}
