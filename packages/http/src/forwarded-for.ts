/** `for="[2001:db8::1]:443"` among the pairs of an element of `Forwarded`, or nothing, and what ends it. */
const PAIR = /\s*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*)?(?:;|$)/y;

/**
 * The node that an element of `Forwarded` (RFC 7239) says it was sent for: an address, perhaps with a port, or `unknown`, or
 * a name that hides it. Empty where it does not say, or says it twice, or is not well formed. Pairs are read one by one, since
 * a proxy may pass on what a client says in another one: `host="a;for=192.0.2.9"`.
 */
export function forwardedFor(element: string): string {
  const nodes: string[] = [];
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < element.length) {
    const pair = PAIR.exec(element);
    if (pair === null) return "";
    const [, name = "", quoted, token = ""] = pair;
    if (name.toLowerCase() === "for") nodes.push(quoted?.replace(/\\(.)/g, "$1") ?? token);
  }
  const [node = "", another] = nodes;
  return another === undefined ? node : "";
}
