/**
 * What was thrown, as something that no framework takes for no error: in some of them `undefined` or a text thrown would let
 * a request pass, or leave it without an answer.
 */
export function asError(thrown: unknown): object {
  if (typeof thrown === "object" && thrown !== null) return thrown;
  return new TypeError(`An error was expected to be thrown, got ${String(thrown)}`, { cause: thrown });
}
