import { durationMs } from "./duration.js";
import { InvalidPolicyError } from "./errors.js";
import { isWhole, MAX_EXACT, MAX_SPAN_MS, shown } from "./whole.js";

/** Checks of options, which throw an `InvalidPolicyError` that names the limiter, the value and what would be right. */
export interface PolicyChecks {
  /** A whole number from `min` to `max` (default 2^53 - 1). */
  whole(option: string, value: unknown, min: number, max?: number): number;
  /** A duration in whole milliseconds, at most `maxMs` (default 2^52). */
  duration(option: string, value: unknown, maxMs?: number): number;
  /** An object, such as `{ tokens, every }`, with nothing but these properties. */
  record<Property extends string>(
    option: string,
    value: unknown,
    properties: readonly Property[],
  ): Record<Property, unknown>;
  /** Refuses the policy: `problem` says what is wrong with which value and what would be right. */
  refuse(problem: string): never;
}

/** The checks for one limiter. */
export function policyChecks(limiterName: string): PolicyChecks {
  const refuse = (problem: string): never => {
    throw new InvalidPolicyError(`limiter ${shown(limiterName)}: ${problem}`);
  };
  return {
    refuse,
    whole(option, value, min, max = MAX_EXACT) {
      if (isWhole(value, min, max)) return value;
      return refuse(`${option} must be a whole number from ${min} to ${max}, got ${shown(value)}`);
    },
    duration(option, value, maxMs = MAX_SPAN_MS) {
      const ms = durationMs(value);
      if (ms !== undefined && ms <= maxMs) return ms;
      return refuse(
        `${option} must be a positive number of milliseconds or a string such as "250ms", "1s", "5m", "1h", "1d", ` +
          `at most ${maxMs} ms, got ${shown(value)}`,
      );
    },
    record(option, value, properties) {
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return refuse(`${option} must be { ${properties.join(", ")} }, got ${shown(value)}`);
      }
      const known: readonly string[] = properties;
      const stranger = Object.keys(value).find((property) => !known.includes(property));
      if (stranger !== undefined) {
        refuse(`${option} must be { ${properties.join(", ")} }, got the unknown property ${shown(stranger)}`);
      }
      const found: Record<string, unknown> = {};
      for (const property of properties) found[property] = Reflect.get(value, property);
      return found;
    },
  };
}
