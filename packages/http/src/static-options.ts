import { InvalidPolicyError } from "@sluice/core";
import { shown } from "./checks.js";

/** What is said once, and not of each request. */
interface Said {
  readonly limiter: unknown;
  readonly key: unknown;
  readonly cost?: unknown;
  readonly reserve?: unknown;
}

/** Refuses what could never work, before any request meets it. @throws InvalidPolicyError */
export function checkStatic({ limiter, key, cost, reserve }: Said): void {
  const names = namesOf(limiter);
  check("key", key, isKey, 'a text such as "user:42", or a list of such', names);
  for (const [option, units] of Object.entries({ cost, reserve })) {
    if (units !== undefined) check(option, units, isUnits, "a whole number from 0", names);
  }
}

/** The names of a composite; none of a lone limiter; undefined where a function chooses. */
function namesOf(limiter: unknown): readonly string[] | undefined {
  if (typeof limiter !== "object" || limiter === null) return undefined;
  return "policies" in limiter && isRecord(limiter.policies) ? Object.keys(limiter.policies) : [];
}

function check(
  option: string,
  value: unknown,
  isValid: (value: unknown) => boolean,
  expected: string,
  names: readonly string[] | undefined,
): void {
  if (typeof value === "function" || isValid(value)) return;
  const problem = problemByName(value, isValid, names);
  if (problem === undefined) return;
  const byName = names?.length === 0 ? "" : ", or one for each limit by its name";
  throw new InvalidPolicyError(
    `rateLimit: ${option} must be ${expected}, a function that says it${byName}, got ${problem}`,
  );
}

/** What is wrong with one value for each limit. */
function problemByName(
  value: unknown,
  isValid: (value: unknown) => boolean,
  names: readonly string[] | undefined,
): string | undefined {
  if (!isRecord(value) || names?.length === 0) return shown(value);
  const missing = names?.find((name) => !(name in value));
  if (missing !== undefined) return `none for ${shown(missing)}`;
  const [name, one] =
    Object.entries(value).find(([other, said]) => names?.includes(other) === false || !isValid(said)) ?? [];
  return name === undefined ? undefined : `${shown(one)} for ${shown(name)}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((part) => typeof part === "string");
  return typeof value === "string" && value !== "";
}

function isUnits(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
