/** The three forms of a date in RFC 9110, section 5.6.7. `Date.parse` alone takes much that is none. */
const DATE =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} [\d:]{8} GMT)$/;
/** The form of C's `asctime`, which does not say that it is in GMT. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;

/** The milliseconds since the epoch of a date in a header; undefined for what is none. */
export function httpDateMs(field: string | null): number | undefined {
  const text = field?.trim() ?? "";
  const ms = DATE.test(text) ? Date.parse(text) : ASCTIME.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
