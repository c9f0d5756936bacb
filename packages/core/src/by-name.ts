import { InvalidKeyError } from "./errors.js";
import { shown } from "./whole.js";

/** One value for each limit of a composite, by its name. */
export type ByName<Name extends string, Value> = { readonly [N in Name]: Value };

type Said<Value> = Value | Readonly<Record<string, Value>>;

/**
 * What is said for each limit: one value for all, or a record by name.
 *
 * @throws InvalidKeyError for a record with a name that there is not, or without one that there is
 */
export function byName<Value>(
  whose: string,
  names: readonly string[],
  said: Said<Value>,
  isOne: (said: Said<Value>) => said is Value,
): (name: string) => Value {
  if (isOne(said)) return () => said;
  const values = new Map(Object.entries(said));
  const get = (name: string): Value =>
    values.get(name) ?? refuse(mistaken(whose, names, `${shown(name)} is missing`));
  for (const name of values.keys()) {
    if (!names.includes(name)) refuse(mistaken(whose, names, `there is no ${shown(name)}`));
  }
  names.forEach(get);
  return get;
}

/** Whether it is no record by name. */
export function isOneForAll<Value extends string | number | readonly string[]>(
  said: Said<Value>,
): said is Value {
  return typeof said !== "object" || said === null || Array.isArray(said);
}

/** For what is always said by name. */
export function none(_said: unknown): _said is never {
  return false;
}

function mistaken(whose: string, names: readonly string[], problem: string): InvalidKeyError {
  return new InvalidKeyError(
    `${whose}: one for all limits was expected, or one for each of ${names.map(shown).join(", ")}, but ${problem}`,
  );
}

function refuse(error: Error): never {
  throw error;
}
