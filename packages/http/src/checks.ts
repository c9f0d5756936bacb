import { InvalidPolicyError } from "@sluice/core";

/** Refuses what is no object of options, and an option that nobody knows. @throws InvalidPolicyError */
export function checkKnown(whose: string, options: unknown, known: readonly string[]): void {
  const expected = `${whose}: options must be { ${known.join(", ")} }`;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InvalidPolicyError(`${expected}, got ${shown(options)}`);
  }
  const stranger = Object.keys(options).find((option) => !known.includes(option));
  if (stranger !== undefined) {
    throw new InvalidPolicyError(`${expected}, got the unknown option ${shown(stranger)}`);
  }
}

/** One of a few words. @throws InvalidPolicyError */
export function oneOf<Word extends string | false>(
  whose: string,
  value: unknown,
  words: readonly Word[],
): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new InvalidPolicyError(`${whose} must be one of ${words.map(shown).join(", ")}, got ${shown(value)}`);
}

/** A whole number between two bounds. @throws InvalidPolicyError */
export function whole(whose: string, value: unknown, min: number, max: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new InvalidPolicyError(`${whose} must be a whole number from ${min} to ${max}, got ${shown(value)}`);
}

/** A value as it should stand in an error message. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}
