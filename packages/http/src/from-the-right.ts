/**
 * The elements of a list in a header, the last one first. What a client has forged stands left of what the proxies have
 * added, so it cannot change how that is read: not even by a quote that it leaves open.
 */
export function* fromTheRight(field: string): Generator<string, void> {
  let end = field.length;
  let isQuoted = false;
  for (let at = field.length - 1; at >= 0; at -= 1) {
    const character = field[at];
    if (character === '"' && !(isQuoted && isEscaped(field, at))) isQuoted = !isQuoted;
    if (character !== "," || isQuoted) continue;
    yield* notEmpty(field.slice(at + 1, end));
    end = at;
  }
  yield* notEmpty(field.slice(0, end));
}

/** An empty element of a list counts for nothing (RFC 9110, section 5.6.1). */
function* notEmpty(element: string): Generator<string, void> {
  const trimmed = element.trim();
  if (trimmed !== "") yield trimmed;
}

function isEscaped(field: string, at: number): boolean {
  let first = at;
  while (field[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}
