/** Headers as the web has them, or as a record by name in lower case, as Node has them. */
export type AnyHeaders =
  | Pick<Headers, "get">
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The socket of a connection, as far as it is needed. */
export interface AddressSocket {
  readonly remoteAddress?: string | undefined;
}

/**
 * What an address is read from: a web-standard `Request`, a request of Node's own server, a socket, or both by hand:
 * `{ headers, remoteAddress }`.
 */
export interface AddressSource extends AddressSocket {
  readonly headers?: AnyHeaders | null | undefined;
  readonly socket?: AddressSocket | null | undefined;
}

/** The address of the other end of the connection, where it is known. */
export function peerOf(source: AddressSource): string | undefined {
  return source.remoteAddress ?? source.socket?.remoteAddress;
}

/** A header; empty where there is none. */
export function headerOf({ headers }: AddressSource, name: string): string {
  if (headers === undefined || headers === null) return "";
  if (isWeb(headers)) return headers.get(name) ?? "";
  const field = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof field === "string" ? field : (field ?? []).join(", ");
}

function isWeb(headers: AnyHeaders): headers is Pick<Headers, "get"> {
  return typeof headers.get === "function";
}
