/** A policy as it lies in a hash: a field each, one word or two with a dot between, and its value as text. */
export type PolicyFields = Readonly<Record<string, string>>;

type Data = Readonly<Record<string, unknown>>;

/** The fields of a policy's data: `{ refill: { tokens: 5 } }` becomes `refill.tokens`. */
export function fieldsOf(data: Data): PolicyFields {
  const pairs = Object.entries(data).flatMap(([name, value]) =>
    typeof value === "object" && value !== null
      ? Object.entries(value).map(([part, inner]) => [`${name}.${part}`, String(inner)])
      : [[name, String(value)]],
  );
  return Object.fromEntries(pairs);
}

/** The options that a policy was made from, by its fields: `refill.everyMs` becomes `{ refill: { every } }`. */
export function optionsIn(fields: PolicyFields): Data {
  const options = new Map<string, unknown>();
  for (const [field, text] of Object.entries(fields)) {
    const [name = "", part] = field.split(".");
    if (part === undefined) {
      options.set(withoutUnit(name), fieldValue(text));
    } else {
      const inner = options.get(name);
      options.set(name, {
        ...(typeof inner === "object" ? inner : {}),
        [withoutUnit(part)]: fieldValue(text),
      });
    }
  }
  return Object.fromEntries(options);
}

/** A number where it is one, written in digits alone. */
export function fieldValue(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** Durations are options by their name alone, and data with their unit. */
function withoutUnit(name: string): string {
  return name.replace(/Ms$/, "");
}
