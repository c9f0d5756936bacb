/** A header field, and what becomes of the one that a response has already. */
export interface Field {
  readonly name: string;
  readonly value: string;
  /** Both in one; without it the present one stays. */
  readonly join?: (present: string, added: string) => string;
}

/** Headers of any kind, such as the web's. */
export interface HeaderSink {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

/** Puts fields among the headers. Throws what `set` throws where they cannot be changed. */
export function addFields(headers: HeaderSink, fields: readonly Field[]): void {
  for (const { name, value, join } of fields) {
    const present = headers.get(name);
    headers.set(name, present === null ? value : (join?.(present, value) ?? present));
  }
}
