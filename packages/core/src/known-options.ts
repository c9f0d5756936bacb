import { InvalidPolicyError } from "./errors.js";
import { shown } from "./whole.js";

/** Refuses what is no object of options, and an option that nobody knows: it is mostly a typing error. */
export function checkKnown(whose: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InvalidPolicyError(`${whose}: options must be { ${known.join(", ")} }, got ${shown(options)}`);
  }
  const stranger = Object.keys(options).find((option) => !known.includes(option));
  if (stranger !== undefined) {
    throw new InvalidPolicyError(
      `${whose}: options must be { ${known.join(", ")} }, got the unknown option ${shown(stranger)}`,
    );
  }
}
