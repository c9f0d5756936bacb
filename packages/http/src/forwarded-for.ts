/** `for="[2001:db8::1]:443"` among the pairs of an element of `Forwarded`. */
const FOR = /(?:^|;)\s*for=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*(?=;|$)/i;

/**
 * The node that an element of `Forwarded` (RFC 7239) says it was sent for: an address, perhaps with a port, or `unknown`, or
 * a name that hides it. Empty where it does not say.
 */
export function forwardedFor(element: string): string {
  const [, quoted, token] = FOR.exec(element) ?? [];
  return quoted?.replace(/\\(.)/g, "$1") ?? token ?? "";
}
