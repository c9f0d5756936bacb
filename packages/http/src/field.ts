/** A header field, and what becomes of the one that a response has already. */
export interface Field {
  readonly name: string;
  readonly value: string;
  /** Both in one, beside those headers that are there already; without it the present one stays. */
  readonly join?: (present: string, added: string, headers: HeaderSink) => string;
}

/** Headers of any kind, such as the web's. */
export interface HeaderSink {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

/** Headers of a response that has them by name, as that of Node does: a number, a text, or a list of texts. */
export function headerSink(
  read: (name: string) => number | string | readonly string[] | undefined,
  write: (name: string, value: string) => unknown,
): HeaderSink {
  return {
    get(name) {
      const present = read(name);
      if (present === undefined) return null;
      return typeof present === "object" ? present.join(", ") : String(present);
    },
    set(name, value) {
      write(name, value);
    },
  };
}

/** Puts fields among the headers. Throws what `set` throws where they cannot be changed. */
export function addFields(headers: HeaderSink, fields: readonly Field[]): void {
  const values = fields.map(({ name, value, join }) => {
    const present = headers.get(name);
    return present === null ? value : (join?.(present, value, headers) ?? present);
  });
  // not before all are known, since fields that belong together are joined by one another
  for (const [index, { name }] of fields.entries()) headers.set(name, values[index] ?? "");
}
